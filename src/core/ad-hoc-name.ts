/** What the log calls a skill that was made for a prompt; no skill on disk can have this name. */
export const adHocName = '(ad-hoc)';
