/** What a prompt says of itself. */
export interface ReadPrompt {
  /** The skill that it names at its start, with a slash or an at sign. */
  readonly name?: string;
  /** What is left of it. */
  readonly words: string;
}

/** Reads `/name words` and `@name words`; everything else is words. Pure. */
export function readPrompt(prompt: string): ReadPrompt {
  const [, name, words = ''] = /^\s*[/@]([\p{L}\p{N}][^\s]*)([^]*)$/u.exec(prompt) ?? [];
  return name === undefined ? { words: prompt } : { name, words: words.trim() };
}

/** Whether a prompt drops the question that waits instead of answering it; a skill of that name is called with an at sign. Pure. */
export function isDropping(prompt: string): boolean {
  return /^\s*\/cancel(?:\s|$)/.test(prompt);
}
