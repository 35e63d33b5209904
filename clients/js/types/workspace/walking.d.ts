/** One way through folders; `isCut` where a bound ended it early. */
export class Walk {
    /**
     * @param {WorkspaceFiles} files
     * @param {AbortSignal} signal
     */
    constructor(files: WorkspaceFiles, signal: AbortSignal);
    isCut: boolean;
    isInTime(): boolean;
    isPauseDue(): boolean;
    /** Let the page do what waits; an abort, which may have come meanwhile, ends the walk. */
    pause(): Promise<void>;
    /**
     * What lies below a folder, by name, what is near first. Links are not followed, and folders that
     * are not for us to read are passed over.
     * @param {string} place
     * @param {string} path As it was asked for.
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
