/** What the functions of the education pack take and return. */

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
export type Given = boolean | number | string | string[] | Record<string, string>;

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

export interface Answered {
  blockId: string;
  given: Given;
  /** Undefined where a person has to judge. */
  correct?: boolean;
  points?: number;
  maxPoints: number;
  /** Of a match and a cloze: which parts are right. */
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
  /** Whether the user is no pupil of it: answers are tried, and not kept. */
  isPreview: boolean;
  blocks: Block[];
  attempt?: Attempt;
  answers: Answered[];
}

export interface Activities {
  courses: { courseId: string; name: string; role: "student" | "teacher" }[];
  activities: ListedActivity[];
  isAll: boolean;
}

export interface ListedActivity {
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
