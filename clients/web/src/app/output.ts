/** Copies texts to the clipboard, and saves files on the user's device. */

import { text } from "../text/locale.js";
import { toast } from "./toast.js";

/** Copy a text; the user is told `done`, or that the browser refused, as it does in some frames. */
export async function copy(words: string, done?: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(words);
  } catch (error) {
    console.warn("a text was not copied", error);
    toast(text("app.not_copied"));
    return false;
  }
  if (done) toast(done);
  return true;
}

export function save(file: File): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(file);
  link.download = file.name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
