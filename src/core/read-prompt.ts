/** What a prompt says of itself. */
export interface ReadPrompt {
  /** The skill that it names at its start. */
  readonly name?: string;
  /** What it names it with. */
  readonly mark?: '/' | '@';
  /** What is left of it. */
  readonly words: string;
}

/** Reads `/name words` and `@name words`; everything else is words. Pure. */
export function readPrompt(prompt: string): ReadPrompt {
  const [, mark, name, words = ''] = /^\s*([/@])([\p{L}\p{N}]\S*)([^]*)$/u.exec(prompt) ?? [];
  if (name === undefined) return { words: prompt };
  return { name, mark: mark === '@' ? '@' : '/', words: words.trim() };
}

/** Whether a prompt drops the question that waits instead of answering it; a skill of that name is called with an at sign. Pure. */
export function isDropping(prompt: string): boolean {
  return /^\s*\/cancel(?:\s|$)/.test(prompt);
}
