// As `python -m rollcall types` writes it.

declare global {
  interface RollcallCapabilities {
    /** Tell the word's length. */
    measure: {
      arguments: {
        word: string;
        unit?: "letters" | "bytes";
      };
      result: {
        length: number;
      };
    };
  }
}

export {};
