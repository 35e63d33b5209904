/** The tutor's client tools. */

/** This page records no audio, so the tool fails, and the tutor goes on without it. */
export const CLIENT_TOOLS: Record<string, () => never> = {
  play_student_audio: () => {
    throw new Error("nothing of this student is recorded on this device; go on without it");
  },
};
