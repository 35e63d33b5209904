"""The chart of a fault current along its way."""

from packs.electrical.calculations.short_circuit.at_panel import fault_at
from packs.electrical.faults.path_chart import path_chart
from seed.electrical.sample import projects

WORKSHOP = next(each.project for each in projects() if each.project.id == "workshop")


def test_each_point_has_a_bar_and_motors_stand_on_the_last() -> None:
    fault = fault_at(WORKSHOP, WORKSHOP.panels[1])
    rows = path_chart(fault, 22_000, "en")["data"]["values"]
    assert [row["point"] for row in rows] == [
        "Service terminals",
        "Main Panel",
        "Shop Floor",
        "Shop Floor",
    ]
    assert sum(row["amps"] for row in rows if row["point"] == "Shop Floor") == round(fault.amps)


def test_a_known_rating_is_a_line() -> None:
    fault = fault_at(WORKSHOP, WORKSHOP.panels[1])
    known, unknown = (path_chart(fault, rating, "en") for rating in (22_000, None))
    assert known["layer"][1]["data"]["values"][0]["amps"] == 22_000
    assert len(unknown["layer"]) == 1


def test_it_is_labelled_in_the_users_language() -> None:
    fault = fault_at(WORKSHOP, WORKSHOP.panels[0], with_motors=False)
    chart = path_chart(fault, None, "he")
    assert chart["title"] == "זרם הקצר לאורך ההזנה"
    assert chart["data"]["values"][0]["point"] == "נקודת החיבור"
