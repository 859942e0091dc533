import { checkIndex } from './index-file.ts';

/**
 * The contents of a git folder: a whole repository, the files of one worktree, the files that all worktrees
 * share, or object caches.
 */
export type GitPart = 'whole' | 'worktree' | 'common' | 'object caches';

/** The rule that decides whether a command's change to a file in a git folder is kept. */
interface Takeover {
  readonly maxBytes: number;
  /** Returns the bytes to keep, or a sentence with the reason to reject them. Pure. */
  check(bytes: Buffer, before: Buffer | undefined): Buffer | string;
}

/** The facts about a repository and a command on which the rules depend. */
export interface GitTerms {
  readonly part: GitPart;
  readonly hash: 'sha1' | 'sha256';
  /** Whether the user allowed the command to create repositories. */
  readonly mayCreateRepositories: boolean;
}

/**
 * Returns the rule for a file, given its path in a git folder. Returns undefined if changes to the file are
 * never kept. Each rule requires a format in which the file cannot make git run a program. Pure.
 */
export function takeoverOf(
  path: string,
  { part, hash, mayCreateRepositories }: GitTerms,
): Takeover | undefined {
  const isCommon =
    /^(?:packed-refs|shallow|config)$|^(?:logs\/)?refs\/(?!(?:bisect|worktree|rewritten)\/)/.test(path);
  if (part === 'object caches') return undefined;
  if (part !== 'whole' && isCommon !== (part === 'common')) return undefined;
  if (path === 'config') {
    const section = mayCreateRepositories ? /^\[(?:branch|submodule) "/ : /^\[branch "/;
    return { maxBytes: megabyte, check: (bytes, before) => checkConfig(bytes, before, section) };
  }
  if (path === 'index' || /^sharedindex\.[0-9a-f]+$/.test(path))
    return { maxBytes: 512 * megabyte, check: (bytes) => checkIndex(bytes, hash) };
  if (path.startsWith('refs/')) return isRefName(path) ? textOf(refText) : undefined;
  if (path.startsWith('logs/')) {
    const name = path.slice('logs/'.length);
    return name === 'HEAD' || isRefName(name) ? linesOf(logLine, 64) : undefined;
  }
  return forms.find(([name]) => name.test(path))?.[1];
}

/**
 * Returns whether a change to a file can be dropped without a report. This applies to locks, caches and
 * files that git writes again. Pure.
 */
export function isDisposable(path: string, part: GitPart): boolean {
  // `git gc` writes this file in every worktree.
  return disposable.test(path) || (part === 'common' && path === 'logs/HEAD');
}

const disposable =
  /(?:^|\/)[^/]*\.lock$|^(?:gc\.(?:pid|log)|MERGE_RR|gitk\.cache|description|info\/refs|next-index-\d+|(?:rr-cache|lfs|fsmonitor--daemon)(?:\/.*|\..*)?|packs|commit-graphs?(?:\/.*)?)$|(?:^|\/)(?:tmp_|\.tmp-|index\.stash\.|packed-refs\.new)[^/]*$/;

const megabyte = 2 ** 20;
const id = '(?:[0-9a-f]{40}|[0-9a-f]{64})';
const idText = new RegExp(`^${id}\\n?$`);
const logLine = new RegExp(`^${id} ${id} [^\\0]*$`);

/**
 * Returns whether a text is a valid name of a ref. Unlike git, rejects names that begin with a hyphen,
 * because programs can mistake them for options.
 */
function isRefName(name: string): boolean {
  if (!name.startsWith('refs/') || name.includes('..') || name.includes('@{')) return false;

  return name
    .split('/')
    .every(
      (part) =>
        /^[^-.\0-\x20~^:?*[\\\x7f][^\0-\x20~^:?*[\\\x7f]*$/.test(part) && !/(?:\.|\.lock)$/.test(part),
    );
}

function refText(text: string): boolean {
  const target = /^ref: (\S+)\n?$/.exec(text)?.[1];
  return target === undefined ? idText.test(text) : isRefName(target);
}

function textOf(isFit: (text: string) => boolean, maxBytes = megabyte): Takeover {
  return {
    maxBytes,
    check: (bytes) =>
      isFit(bytes.toString('utf8')) ? bytes : 'Its content is not what git would write to this file.',
  };
}

/** Creates a rule for files in which every line must match a pattern. */
function linesOf(line: RegExp, megabytes = 1): Takeover {
  const isFit = (text: string): boolean =>
    text
      .replace(/\n$/, '')
      .split('\n')
      .every((one) => line.test(one) || one === '');
  return textOf(isFit, megabytes * megabyte);
}

// eslint-disable-next-line no-control-regex -- lines with them are refused
const anyLine = /^[^\0-\x1f]*$/;
const anyText = textOf(() => true);
const idLines = linesOf(new RegExp(`^${id}(?:\\t.*)?$`));
// Matches lines of a rebase plan except those that run a program, such as `exec`.
const step =
  /^[ \t]*(?:#.*|(?:pick|p|reword|r|edit|e|squash|s|fixup|f|drop|d|revert|label|l|reset|t|merge|m|update-ref|u)[ \t].*|break|b|noop)?$/;
const author = /^GIT_AUTHOR_(?:NAME|EMAIL|DATE)='(?:[^'\0]|'\\'')*'$/;

// The paths of files that may change, with their rules. All other files keep their content, including
// programs, settings and references to other folders.
const forms: readonly (readonly [path: RegExp, Takeover])[] = [
  [/^HEAD$/, textOf(refText)],
  [/^(?:[A-Z_]+_HEAD|shallow)$/, linesOf(new RegExp(`^${id}(?:\\t.*)?$`), 16)],
  [/^(?:AUTO_MERGE|MERGE_AUTOSTASH|BISECT_EXPECTED_REV|BISECT_ANCESTORS_OK)$/, idLines],
  [
    /^packed-refs$/,
    linesOf(new RegExp(`^(?:# pack-refs with:[\\w :-]*|${id} refs/[^\\0-\\x20]+|\\^${id})$`), 64),
  ],
  [/^(?:COMMIT_EDITMSG|MERGE_MSG|SQUASH_MSG|TAG_EDITMSG|NOTES_EDITMSG)$/, anyText],
  [/^MERGE_MODE$/, linesOf(/^(?:no-ff)?$/)],
  [/^BISECT_(?:START|TERMS|FIRST_PARENT)$/, linesOf(/^[\w./-]*$/)],
  [/^BISECT_NAMES$/, linesOf(/^ *$/)],
  [
    /^BISECT_LOG$/,
    linesOf(/^(?:#.*|git bisect (?:start|good|bad|new|old|skip)(?: (?:'[\w./-]*'|[\w./-]+))*)$/),
  ],
  [/^rebase-merge\/(?:git-rebase-todo(?:\.backup)?|done)$/, linesOf(step, 4)],
  [/^rebase-merge\/author-script$/, linesOf(author)],
  [/^rebase-merge\/strategy$/, linesOf(/^(?:ort|recursive|resolve|octopus|ours|subtree)$/)],
  [
    /^rebase-merge\/(?:head-name|onto|orig-head|amend|stopped-sha|autostash|squash-onto|msgnum|end)$/,
    linesOf(anyLine),
  ],
  [/^rebase-merge\/(?:rewritten-list|rewritten-pending|refs-to-delete|update-refs)$/, linesOf(anyLine, 4)],
  [
    /^rebase-merge\/(?:interactive|quiet|verbose|signoff|drop_redundant_commits|keep_redundant_commits|reschedule-failed-exec|no-reschedule-failed-exec|allow_rerere_autoupdate|cdate_is_adate|ignore_date)$/,
    linesOf(/^[\w -]*$/),
  ],
  [
    /^rebase-merge\/(?:message|message-squash|message-fixup|current-fixups|patch)$/,
    textOf(() => true, 16 * megabyte),
  ],
  [/^sequencer\/(?:head|abort-safety)$/, idLines],
  [/^sequencer\/todo$/, linesOf(/^[ \t]*(?:#.*|(?:pick|p|revert)[ \t].*)?$/, 4)],
];

/**
 * Checks a changed configuration file. Only sections whose title matches `section` may change.
 */
function checkConfig(bytes: Buffer, before: Buffer | undefined, section: RegExp): Buffer | string {
  const [now, old] = [bytes, before ?? Buffer.alloc(0)].map((one) =>
    one.toString('utf8').split(/^(?=\[)/m),
  ) as [string[], string[]];
  const others = (sections: readonly string[]): string =>
    sections.filter((one) => !section.test(one)).join('');
  const added = now.filter((one) => section.test(one) && !old.includes(one));
  const isFit = others(now) === others(old) && added.every((one) => plainSection.test(one));
  return isFit ? bytes : 'Only the branch settings of a repository may change.';
}

// Matches sections without addresses or names that git could treat as a command or an option.
const plainSection = new RegExp(
  `^(?:${[
    '\\[branch "[^"\\\\\\0-\\x1f]+"\\]\\n',
    '(?:\\t(?:remote|pushRemote) = [\\w.][\\w./-]*\\n|\\tmerge = refs/[^\\s"\\\\#;]+\\n|\\trebase = \\w+\\n)*',
  ].join('')}|${[
    '\\[submodule "[\\w./ -]+"\\]\\n',
    '(?:\\tactive = (?:true|false)\\n|\\tupdate = (?:checkout|rebase|merge|none)\\n|\\turl = (?!-|ext::)[\\w.:/@~+%=-]+\\n)*',
  ].join('')})$`,
);
