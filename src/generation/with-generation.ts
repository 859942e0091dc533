/** Works on the generated code of a skill while nobody else does, in no other process either; `onWait` is called once when somebody else is at it. What a killed process left half done is finished first. Throws the signal's reason. */
export function withGeneration<Result>(
  _dir: string,
  _how: { readonly signal: AbortSignal; readonly onWait?: () => void },
  _work: () => Promise<Result>,
): Promise<Result> {
  throw new Error('not yet');
}
