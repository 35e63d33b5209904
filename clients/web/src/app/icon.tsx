/** Line icons. They are hidden from screen readers: the button or link has the name. */

export const ICONS = {
  plus: "M12 5v14M5 12h14",
  menu: "M4 7h16M4 12h16M4 17h16",
  close: "M6 6l12 12M18 6L6 18",
  send: "M12 19V5M6 11l6-6 6 6",
  stop: "M7 7h10v10H7z",
  clip: "M19 11l-7.5 7.5a4.5 4.5 0 0 1-6.4-6.4L12.5 4.700a3 3 0 0 1 4.300 4.300L9.500 16.300a1.500 1.500 0 0 1-2.100-2.100L14 7.600",
  copy: "M9 9h11v11H9zM5 15H4V4h11v1",
  check: "M5 13l4 4L19 7",
  edit: "M4 20h4L19 9l-4-4L4 16z",
  retry: "M4 12a8 8 0 1 0 2.600-5.900M4 4v5h5",
  up: "M7 11v9H4v-9zM7 11l4-7c1.500 0 2.500 1 2.200 2.600L12.700 9H19l-1.500 9.500c-.2.900-.9 1.500-1.800 1.500H7",
  down: "M17 13V4h3v9zM17 13l-4 7c-1.500 0-2.500-1-2.200-2.600l.5-2.400H5l1.500-9.500C6.700 4.600 7.400 4 8.300 4H17",
  more: "M5.5 11.5a.5 .5 0 1 0 0 1 .5 .5 0 0 0 0-1M12 11.5a.5 .5 0 1 0 0 1 .5 .5 0 0 0 0-1M18.5 11.5a.5 .5 0 1 0 0 1 .5 .5 0 0 0 0-1",
  arrow_down: "M12 5v14M6 13l6 6 6-6",
  archive: "M4 5h16v4H4zM6 9v10h12V9M10 13h4",
  bin: "M5 7h14M9 7V4h6v3M7 7l1 13h8l1-13",
  broom: "M14 4l6 6M12 6l6 6-7 8H4l-.500-.500z",
  link: "M10 14a4 4 0 0 0 6 0l3-3a4 4 0 0 0-6-6l-1 1M14 10a4 4 0 0 0-6 0l-3 3a4 4 0 0 0 6 6l1-1",
  search: "M11 5a6 6 0 1 0 0 12 6 6 0 0 0 0-12M15.500 15.500L20 20",
  leave: "M14 4h5v16h-5M4 12h10M10 8l4 4-4 4",
  file: "M6 3h8l4 4v14H6zM14 3v4h4",
  shield: "M12 3l7 3v5c0 5-3 8-7 10-4-2-7-5-7-10V6zM9 12l2 2 4-4",
  warn: "M12 4l9 16H3zM12 10v4M12 17h.01",
} as const;

export type IconName = keyof typeof ICONS;

export function Icon({ path, name }: { path?: string; name?: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path d={path ?? (name && ICONS[name])} />
    </svg>
  );
}
