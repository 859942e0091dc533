import assert from 'node:assert/strict';
import { splitFrontmatter } from '../../src/core/descriptor/frontmatter-split.ts';

/** Returns the frontmatter, the body, the lines where they start, and the issues as code:line. */
export function splitText(text: string): unknown {
  const { head, headLine, bodyStart, bodyEnd, bodyLine, issues } = splitFrontmatter(text);
  const body = text.slice(bodyStart, bodyEnd);
  assert.equal(
    text.slice(0, bodyStart).split('\n').length,
    bodyLine - (bodyStart > 0 && !text.slice(0, bodyStart).endsWith('\n') ? 1 : 0),
  );
  return {
    head,
    headLine,
    body,
    bodyLine,
    issues: issues.map((issue) => `${issue.code.slice('frontmatter.'.length)}:${issue.line ?? '-'}`),
  };
}
