// Reads the emulator's coverage: every condition in the rules has let something through and has
// kept something out.

/** The conditions that no test made true, or none made false, as "line 7: text (never true)". */
export function untested(report, source) {
  return report.flatMap((node) => untestedIn(node, source));
}

function untestedIn(node, source) {
  if (!node.values?.length) return [`${place(node, source)} (never asked)`];
  const within = (node.children ?? []).flatMap((child) => untestedIn(child, source));
  if (within.length || !isCondition(node)) return within;
  return [true, false]
    .filter((outcome) => !node.values.some(({ value }) => hasOutcome(value, outcome)))
    .map((outcome) => `${place(node, source)} (never ${outcome})`);
}

function place({ sourcePosition: { line, currentOffset, endOffset } }, source) {
  return `line ${line}: ${source.slice(currentOffset, endOffset + 1).replace(/\s+/g, " ").slice(0, 100)}`;
}

function isCondition({ values }) {
  return values.some(({ value }) => "boolValue" in value);
}

/** An error keeps out, as false does. */
function hasOutcome(value, outcome) {
  return "boolValue" in value ? value.boolValue === outcome : !outcome;
}
