/** The tutor's client tools. */

/** What was only written or said live was not recorded, and the tutor goes on without. */
export const CLIENT_TOOLS: Record<string, () => never> = {
  play_student_audio: () => {
    throw new Error("nothing of this student is recorded on this device; go on without it");
  },
};
