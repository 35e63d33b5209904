export namespace GUARDED_FILES {
    let secretExceptions: string[];
    let files: {
        reason: string;
        kind: string;
        paths: string[];
    }[];
}
