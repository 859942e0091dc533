import { findComment, findLine, findStray } from './find-lines.ts';
import type { FindEnd, Opener } from './heredoc.ts';
import { isBlank, isDeclaration } from './line-kind.ts';
import type { Literal, Place } from '../plan.ts';
import { readHeredocs } from './read-heredocs.ts';
import { readText } from './read-text.ts';
import { errorAt } from '../sop-issue.ts';
import type { SopIssue } from '../sop-issue.ts';

/** What a step has behind its first line. */
export interface Body {
  /** Each is one more argument. */
  readonly texts: readonly Literal[];
  /** The line behind it, counted from 0: the next step or its comment. */
  readonly end: number;
}

/** Reads all up to the next step; `opener` is that of the first line. */
export function readBody(
  lines: readonly string[],
  from: number,
  opener: Opener | undefined,
  findEnd: FindEnd,
  issues: SopIssue[],
): Body {
  const { texts, next, open } = readHeredocs(lines, from, opener, findEnd);
  const end = findComment(lines, findLine(lines, next, isDeclaration));
  if (open !== undefined) {
    issues.push(openHeredoc(open));
    const text = readText(lines, next, end, issues) ?? { kind: 'text', text: '', place: open.place };
    return { texts: [...texts, text], end };
  }
  if (texts.length === 0) {
    const text = readText(lines, next, end, issues);
    return { texts: text === undefined ? [] : [text], end };
  }
  for (const place of findStray(lines, next, end, isBlank)) issues.push(afterHeredoc(place));
  return { texts, end };
}

function openHeredoc({ tag, place }: Opener): SopIssue {
  return errorAt(
    place,
    'sop.open-heredoc',
    `The text that --begin-${tag}-- begins has no end.`,
    `Write --end-${tag}-- on a line of its own behind it.`,
  );
}

function afterHeredoc(place: Place): SopIssue {
  return errorAt(
    place,
    'sop.after-heredoc',
    'This belongs to no step: only another text between tags may follow one.',
    'Move it between the tags, or begin a step with it: "@name command".',
  );
}
