/** A walk through folders. `isCut` becomes true when a limit ends it early. */
export class Walk {
    /**
     * @param {WorkspaceFiles} files
     * @param {AbortSignal} signal
     */
    constructor(files: WorkspaceFiles, signal: AbortSignal);
    isCut: boolean;
    isInTime(): boolean;
    isPauseDue(): boolean;
    /** Yield to the page. An abort, which may have come meanwhile, ends the walk. */
    pause(): Promise<void>;
    /**
     * The entries below a folder, sorted by name, the nearest first. Links are not followed, and
     * unreadable folders are skipped.
     * @param {string} place
     * @param {string} path As requested.
     * @param {number} depth
     */
    below(place: string, path: string, depth: number): AsyncGenerator<{
        path: string;
        type: "file" | "directory" | "link";
        size: number | undefined;
    }, void, unknown>;
    #private;
}
import type { WorkspaceFiles } from "./tools.js";
