/** The arguments and results of the education pack's functions. */

export type Kind =
  | "choice"
  | "multi_choice"
  | "true_false"
  | "match"
  | "order"
  | "cloze"
  | "numeric"
  | "open"
  | "text"
  | "table"
  | "image"
  | "cards";

/** An answer, by kind: an option's id, ids, true or false, ids by ids, texts by gap, a text. */
export type AnswerValue = boolean | number | string | string[] | Record<string, string>;

export interface Option {
  id: string;
  text: string;
}

/** A block as pupils see it: keys and feedback are not in it. */
export interface Block {
  blockId: string;
  kind: Kind;
  stem: string;
  options: Option[];
  targets: Option[];
  rows: string[][];
  image?: { fileId: string; alt: string };
  cards: { front: string; back: string }[];
  unit?: string;
  points: number;
}

export interface AnswerResult {
  blockId: string;
  given: AnswerValue;
  /** Undefined for answers that a person marks. */
  correct?: boolean;
  points?: number;
  maxPoints: number;
  /** For match and cloze questions: which parts are right. */
  parts: Record<string, boolean>;
  feedback: string[];
  hint?: string;
  triesLeft: number;
}

export interface Attempt {
  attemptId: string;
  status: "open" | "finished";
  answered: number;
  questions: number;
  points: number;
  maxPoints: number;
  toJudge: number;
}

export interface Activity {
  contentId: string;
  title: string;
  locale: string;
  version: number;
  maxTries: number;
  /** Whether this is a preview: answers are checked and not stored. */
  isPreview: boolean;
  blocks: Block[];
  attempt?: Attempt;
  answers: AnswerResult[];
}

export interface Activities {
  courses: { courseId: string; name: string; role: "student" | "teacher" }[];
  activities: ActivitySummary[];
  isAll: boolean;
}

export interface ActivitySummary {
  contentId: string;
  title: string;
  kind: string;
  status: "draft" | "published";
  courseId?: string;
  updatedAt: string;
  attempt?: Attempt;
}

export type TimeRange = "week" | "month" | "semester" | "year";

/** A figure of a group of answers; `percent` of their points. */
export interface Figure {
  name: string;
  students: number;
  answers: number;
  percent: number;
}

export interface Analytics {
  /** The result in words. */
  answer: string;
  /** Undefined where it may not be told, or nothing was answered. */
  total?: Figure;
  byBloom: Figure[];
  byContent: Figure[];
  byCourse: Figure[];
}
