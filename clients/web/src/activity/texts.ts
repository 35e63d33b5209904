/** The texts of the activities, loaded with them. */

import en from "../../texts/activity/en.json";
import he from "../../texts/activity/he.json";
import { textsOf } from "../text/locale.js";

export type Key = keyof typeof en;
export const say = textsOf<Key>({ en, he });
