import { relative } from 'node:path';
import type { Finding } from './finding.ts';
import { showText } from './show-text.ts';

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
export function findingsAboutUnread(unread: readonly Unread[], bundle: string): readonly Finding[] {
  return [...Map.groupBy(unread, ({ why }) => why)].flatMap(([why, group]) => {
    if (why === 'program') return group.map(aboutProgram);
    if (why === 'too-large') return aboutLarge(group, bundle);
    if (why === 'link-outside') return group.map(aboutLink);
    return [aboutAll(reasons[why], group, bundle)];
  });
}

// Written by people, who do not write so much: padding keeps a reader away. Large files of other kinds are made by programs.
const written = /\.(?:md|sh|bash|zsh|fish|ps1|bat|cmd|py|rb|pl)$/i;

function aboutLarge(group: readonly Unread[], bundle: string): readonly Finding[] {
  const odd = group.filter(({ file }) => written.test(file)).map(aboutPadded);
  const usual = group.filter(({ file }) => !written.test(file));
  return usual.length === 0 ? odd : [...odd, aboutAll(reasons['too-large'], usual, bundle)];
}

function aboutPadded({ file }: Unread): Finding {
  const what = 'A text to be read or run has more than 1 MB and was not read.';
  return { id: 'not-read', severity: 'medium', file, what, text: '', hint: 'Look for what it hides.' };
}

function aboutAll(what: string, group: readonly Unread[], bundle: string): Finding {
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

function aboutProgram({ file }: Unread): Finding {
  const what = 'The bundle holds a compiled program, which cannot be read.';
  const hint = 'Build it from its source, or make sure where it comes from.';
  return { id: 'program', severity: 'medium', file, what, text: '', hint };
}

// Places where systems and people keep what is nobody else's business.
const personal =
  /(?:^|\/)\.(?:ssh|aws|gnupg|kube|docker|config|env|netrc|npmrc)(?:\/|$)|^\/(?:etc|root|proc)(?:\/|$)/;

function aboutLink({ file, target = '' }: Unread): Finding {
  const what = 'A link leads out of the bundle; what it leads to was not read.';
  const hint = 'Put a copy into the bundle, or remove the link.';
  const severity = personal.test(target) ? 'medium' : 'low';
  return { id: 'link-outside', severity, file, what, text: showText(target), hint };
}
