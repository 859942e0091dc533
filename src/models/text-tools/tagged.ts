import type { Mode } from './mode.ts';
import { callsInBlock } from './read-calls.ts';

/** How some models mark a call by themselves. */
export const openTag = '<tool_call>';
const closeTag = '</tool_call>';

/** Behind an opening tag; where no object follows, it was only mentioned. */
export function createTagged(): Mode {
  let isSure = false;
  let content = '';
  let tail = ''; // may begin the closing tag
  return {
    take(piece) {
      const start = isSure ? '{' : piece.trimStart().charAt(0);
      if (start !== '' && start !== '{') {
        return { text: openTag, rest: content + tail + piece, next: { shown: openTag } };
      }
      isSure = start === '{';
      const fresh = tail + piece;
      const at = fresh.indexOf(closeTag);
      if (at >= 0) {
        const calls = callsInBlock(content + fresh.slice(0, at));
        return { calls, rest: fresh.slice(at + closeTag.length), next: { shown: closeTag } };
      }
      const cut = Math.max(0, fresh.length - closeTag.length + 1);
      content += fresh.slice(0, cut);
      tail = fresh.slice(cut);
      return {};
    },
    end: () => (isSure ? { calls: callsInBlock(content + tail) } : { text: openTag + content + tail }),
  };
}
