/** A text in which nothing can end an element of this name, or begin another; the name has letters and underscores only. Pure. */
export function withinElement(text: string, name: string): string {
  return text.replace(new RegExp(`<(?=\\s*(?:/\\s*${name}|${name}\\b))`, 'gi'), '&lt;');
}
