/** The tool configuration of a lesson: which tools it has, and when each may be called. */

export interface Trigger {
  type: string;
  keywords?: string[];
  minTurns?: number;
  minutesRemaining?: number;
}

export interface ToolSetting {
  toolId: string;
  enabled: boolean;
  triggerCondition: Trigger;
  customInstructions?: string | null;
  setBy: "teacher" | "auto";
}

export interface ToolConfiguration {
  schemaVersion?: number;
  tools: ToolSetting[];
  globalInstructions?: string | null;
}

/** The argument of a trigger. */
export interface TriggerField {
  name: "keywords" | "minTurns" | "minutesRemaining";
  label: string;
  type: "texts" | "integer" | "choice";
  maxItems?: number | null;
  maxChars?: number | null;
  minimum?: number | null;
  maximum?: number | null;
  choices?: number[] | null;
}

export interface TriggerChoice {
  type: string;
  name: string;
  description: string;
  /** Whether the server checks it at each call; others are a matter of the prompt. */
  isChecked: boolean;
  field?: TriggerField | null;
}

export interface LessonTool {
  toolId: string;
  name: string;
  description: string;
  category: string;
  triggers: TriggerChoice[];
}

export interface NamedOption {
  id: string;
  name: string;
}

/** The result of `list_lesson_tools`. */
export interface Catalogue {
  tools: LessonTool[];
  presets: (NamedOption & { description: string; toolConfiguration: ToolConfiguration })[];
  categories: NamedOption[];
  lessonTypes: NamedOption[];
  levels: string[];
  limits: {
    titleChars: number;
    promptChars: number;
    customInstructionsChars: number;
    globalInstructionsChars: number;
    taskChars: number;
    maxTasks: number;
    minMinutes: number;
    maxMinutes: number;
  };
}

/** The setting of a tool; by default it is off, with its first trigger. */
export function settingOf({ tools }: ToolConfiguration, tool: LessonTool): ToolSetting {
  const found = tools.find(({ toolId }) => toolId === tool.toolId);
  const type = tool.triggers[0]?.type ?? "always";
  return found ?? { toolId: tool.toolId, enabled: false, triggerCondition: { type }, setBy: "auto" };
}

/** The configuration with one tool set by the teacher. */
export function withSetting(configuration: ToolConfiguration, setting: ToolSetting): ToolConfiguration {
  const mine: ToolSetting = { ...setting, setBy: "teacher" };
  const isThere = configuration.tools.some(({ toolId }) => toolId === setting.toolId);
  const tools = isThere
    ? configuration.tools.map((each) => (each.toolId === setting.toolId ? mine : each))
    : [...configuration.tools, mine];
  return { ...configuration, tools };
}

/** A new trigger with the smallest valid argument. */
export function newTrigger({ type, field }: TriggerChoice): Trigger {
  if (!field) return { type };
  const least = { texts: [], integer: field.minimum ?? 1, choice: field.choices?.[0] };
  return { type, [field.name]: least[field.type] };
}

export function enabledTools({ tools }: ToolConfiguration): string[] {
  return tools.filter(({ enabled }) => enabled).map(({ toolId }) => toolId);
}

/** The tools that are on in `after` and were not in `before`. */
export function newlyEnabled(before: ToolConfiguration, after: ToolConfiguration): ToolSetting[] {
  const earlier = new Set(enabledTools(before));
  return after.tools.filter(({ toolId, enabled }) => enabled && !earlier.has(toolId));
}

/** The preset that has the same tools with the same triggers. */
export function presetOf(configuration: ToolConfiguration, { presets }: Catalogue): string | undefined {
  const gist = ({ tools }: ToolConfiguration) =>
    JSON.stringify(
      tools
        .filter(({ enabled }) => enabled)
        .map(({ toolId, triggerCondition, customInstructions }) => [toolId, triggerCondition.type, customInstructions || ""])
        .sort(),
    );
  const wanted = gist(configuration);
  return presets.find((each) => gist(each.toolConfiguration) === wanted)?.id;
}
