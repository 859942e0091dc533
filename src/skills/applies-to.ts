import { isMeantBy } from '../files/path-rule.ts';

/** Whether one of the files is one of those that a skill is for; patterns are read as in an ignore file at the top of the workspace. */
export function appliesTo(patterns: readonly string[], files: readonly string[], workspace: string): boolean {
  return files.some((file) => patterns.some((pattern) => isMeantBy(pattern, file, workspace)));
}
