import { relative } from 'node:path';
import { hasHiddenCharacters } from '../../core/index.ts';

/** Something in a bundle that was not looked at, and why. */
export interface Unread {
  /** Absolute. */
  readonly file: string;
  readonly why: keyof typeof reasons | 'program' | 'link-outside';
  /** Where a link leads. */
  readonly target?: string;
}

const reasons = {
  'too-large': 'Files of more than 1 MB were not read.',
  'no-text': 'Files that are no text were not read.',
  'no-file': 'What is neither a file nor a folder was not read.',
  'not-entered': 'Folders that programs fill were not looked into.',
  'too-many': 'The folder has more than 2,000 files; the rest was not read.',
  unreadable: 'What cannot be opened was not read.',
} as const;

/** Names of files that stand for all of a kind. */
const fewNames = 5;

/** One finding for each reason, however many files it concerns; programs, links and padded texts have one each. */
export function findingsAboutUnread(unread: readonly Unread[], bundle: string): readonly AuditDiagnostic[] {
  return [...Map.groupBy(unread, ({ why }) => why)].flatMap(([why, group]) => {
    if (why === 'program') return group.map(aboutProgram);
    if (why === 'too-large') return aboutLarge(group, bundle);
    if (why === 'link-outside') return group.map(aboutLink);
    return [aboutAll(reasons[why], group, bundle)];
  });
}

// Written by people, who do not write so much: padding keeps a reader away. Large files of other kinds are made by programs.
const written = /\.(?:md|sh|bash|zsh|fish|ps1|bat|cmd|py|rb|pl)$/i;

function aboutLarge(group: readonly Unread[], bundle: string): readonly AuditDiagnostic[] {
  const odd = group.filter(({ file }) => written.test(file)).map(aboutPadded);
  const usual = group.filter(({ file }) => !written.test(file));
  return usual.length === 0 ? odd : [...odd, aboutAll(reasons['too-large'], usual, bundle)];
}

function aboutPadded({ file }: Unread): AuditDiagnostic {
  const what = 'A text to be read or run has more than 1 MB and was not read.';
  return { id: 'not-read', severity: 'medium', file, what, text: '', hint: 'Look for what it hides.' };
}

function aboutAll(what: string, group: readonly Unread[], bundle: string): AuditDiagnostic {
  const names = group.slice(0, fewNames).map(({ file }) => relative(bundle, file) || file);
  const more = group.length > fewNames ? ` and ${group.length - fewNames} more` : '';
  const hint = 'Look at them yourself if the bundle uses them.';
  return {
    id: 'not-read',
    severity: 'low',
    file: bundle,
    what,
    text: showText(names.join(', ')) + more,
    hint,
  };
}

function aboutProgram({ file }: Unread): AuditDiagnostic {
  const what = 'The bundle holds a compiled program, which cannot be read.';
  const hint = 'Build it from its source, or make sure where it comes from.';
  return { id: 'program', severity: 'medium', file, what, text: '', hint };
}

// Places where systems and people keep what is nobody else's business.
const personal =
  /(?:^|\/)\.(?:ssh|aws|gnupg|kube|docker|config|env|netrc|npmrc)(?:\/|$)|^\/(?:etc|root|proc)(?:\/|$)/;

function aboutLink({ file, target = '' }: Unread): AuditDiagnostic {
  const what = 'A link leads out of the bundle; what it leads to was not read.';
  const hint = 'Put a copy into the bundle, or remove the link.';
  const severity = personal.test(target) ? 'medium' : 'low';
  return { id: 'link-outside', severity, file, what, text: showText(target), hint };
}

const mostLetters = 120;

/** Text for a report: one line, cut, and everything that cannot be seen as `\u{…}`. */
export function showText(text: string): string {
  const letters = Array.from(
    text
      .replace(/\s+/g, ' ')
      .trim()
      .slice(0, mostLetters * 2),
    visible,
  );
  const shown = letters.slice(0, mostLetters).join('');
  return letters.length > mostLetters || shown.length > mostLetters
    ? `${shown.slice(0, mostLetters)}…`
    : shown;
}

function visible(letter: string): string {
  if (!hasHiddenCharacters(letter)) return letter;
  return `\\u{${(letter.codePointAt(0) ?? 0).toString(16)}}`;
}

/** Something that is known to be bad. Where two with one id find the same line, the first counts. */
export interface AuditPattern {
  readonly id: string;
  readonly severity: Severity;
  /** A sentence that says what was found. */
  readonly what: string;
  /** A sentence that says what to do. */
  readonly hint: string;
  /** With the flag `g`; every gap in it has a greatest length, so that the cost is linear in the text. */
  readonly find: RegExp;
  /** What the found text itself must hold. */
  readonly within?: RegExp;
  /** What the found lines must hold as well. */
  readonly line?: RegExp;
  /** What must stand on the found lines or a few lines around them. */
  readonly near?: RegExp;
  /** What makes the found lines harmless. */
  readonly unless?: RegExp;
  /** Prose is what people read, such as Markdown; code is every other text. Both unless said. */
  readonly only?: 'prose' | 'code';
}

/** How much a finding weighs: high is hardly ever innocent, medium wants a look, low is for the record. */
export type Severity = 'high' | 'medium' | 'low';

/** Something in a file that a person should look at before they trust it; advice, no verdict. */
export interface AuditDiagnostic {
  /** The pattern that found it. */
  readonly id: string;
  readonly severity: Severity;
  /** Absolute. */
  readonly file: string;
  /** Counted from 1; absent where the whole file is meant. */
  readonly line?: number;
  /** A sentence that says what was found. */
  readonly what: string;
  /** The text in question, on one line, cut, with everything invisible spelled out. */
  readonly text: string;
  /** A sentence that says what to do. */
  readonly hint: string;
}

const order: readonly Severity[] = ['high', 'medium', 'low'];

/** For sorting: the gravest first, then by place. */
export function compareFindings(a: AuditDiagnostic, b: AuditDiagnostic): number {
  if (a.severity !== b.severity) return order.indexOf(a.severity) - order.indexOf(b.severity);
  if (a.file !== b.file) return a.file < b.file ? -1 : 1;
  return (a.line ?? 0) - (b.line ?? 0);
}
