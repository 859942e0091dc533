/** An answer without what the model thought aloud before it, as some local models do between `<think>` tags. */
export function withoutThinking(text: string): string {
  const start = text.trimStart();
  if (!start.startsWith('<think>')) return text;
  const end = start.indexOf('</think>');
  return end < 0 ? text : start.slice(end + '</think>'.length).trimStart();
}
