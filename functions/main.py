from rollcall import bind

bind(globals())
