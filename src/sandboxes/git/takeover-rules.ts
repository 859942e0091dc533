import { checkIndex } from './index-file.ts';

/** Which part of a repository a folder holds: all of it, or for a worktree its own files or the common ones. */
export type GitPart = 'whole' | 'worktree' | 'common' | 'object caches';

/** How a file of a git folder is taken over after a command. */
interface Takeover {
  readonly mostBytes: number;
  /** The bytes to keep, or a sentence that says what is wrong with them. Pure. */
  check(bytes: Buffer, before: Buffer | undefined): Buffer | string;
}

/** What the check of a file depends on. */
export interface GitTerms {
  readonly part: GitPart;
  readonly hash: 'sha1' | 'sha256';
  /** A person allowed the command to make repositories. */
  readonly mayCreateRepositories: boolean;
}

/**
 * The rule for a file of a git folder by its path in it; undefined when it never is taken over. What is taken over
 * cannot make git run anything: each kind of file is held to its own form. Pure.
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
    return { mostBytes: megabyte, check: (bytes, before) => checkConfig(bytes, before, section) };
  }
  if (path === 'index' || /^sharedindex\.[0-9a-f]+$/.test(path))
    return { mostBytes: 512 * megabyte, check: (bytes) => checkIndex(bytes, hash) };
  if (path.startsWith('refs/')) return isRefName(path) ? textOf(refText) : undefined;
  if (path.startsWith('logs/')) {
    const name = path.slice('logs/'.length);
    return name === 'HEAD' || isRefName(name) ? linesOf(logLine, 64) : undefined;
  }
  return forms.find(([name]) => name.test(path))?.[1];
}

/** Whether a file that is not taken over is left out without a word: locks, caches and what git writes again. Pure. */
export function isDisposable(path: string, part: GitPart): boolean {
  return disposable.test(path) || (part === 'common' && path === 'logs/HEAD'); // `git gc` writes it in every worktree
}

const disposable =
  /(?:^|\/)[^/]*\.lock$|^(?:gc\.(?:pid|log)|MERGE_RR|gitk\.cache|description|info\/refs|next-index-\d+|(?:rr-cache|lfs|fsmonitor--daemon)(?:\/.*|\..*)?|packs|commit-graphs?(?:\/.*)?)$|(?:^|\/)(?:tmp_|\.tmp-|index\.stash\.|packed-refs\.new)[^/]*$/;

const megabyte = 2 ** 20;
const id = '(?:[0-9a-f]{40}|[0-9a-f]{64})';
const idText = new RegExp(`^${id}\\n?$`);
const logLine = new RegExp(`^${id} ${id} [^\\0]*$`);

/** Whether git accepts a name of a ref; names that begin with a hyphen, which programs take for options, are refused too. */
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

function textOf(isFit: (text: string) => boolean, mostBytes = megabyte): Takeover {
  return {
    mostBytes,
    check: (bytes) => (isFit(bytes.toString('utf8')) ? bytes : 'Its content is not what git writes there.'),
  };
}

/** Files all of whose lines have one form. */
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
// Lines of a plan that run no program, as `exec` does.
const step =
  /^[ \t]*(?:#.*|(?:pick|p|reword|r|edit|e|squash|s|fixup|f|drop|d|revert|label|l|reset|t|merge|m|update-ref|u)[ \t].*|break|b|noop)?$/;
const author = /^GIT_AUTHOR_(?:NAME|EMAIL|DATE)='(?:[^'\0]|'\\'')*'$/;

// Paths and their forms. What is not here stays as it was: programs, settings and ways to other folders among it.
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

/** Of the settings only those of branches change, and for a command that makes repositories those of submodules. */
function checkConfig(bytes: Buffer, before: Buffer | undefined, section: RegExp): Buffer | string {
  const [now, old] = [bytes, before ?? Buffer.alloc(0)].map((one) =>
    one.toString('utf8').split(/^(?=\[)/m),
  ) as [string[], string[]];
  const others = (sections: readonly string[]): string =>
    sections.filter((one) => !section.test(one)).join('');
  const added = now.filter((one) => section.test(one) && !old.includes(one));
  const isFit = others(now) === others(old) && added.every((one) => plainSection.test(one));
  return isFit ? bytes : 'Of the settings of a repository only those of branches are taken over.';
}

// Neither an address nor a name in it can be a command or an option.
const plainSection = new RegExp(
  `^(?:${[
    '\\[branch "[^"\\\\\\0-\\x1f]+"\\]\\n',
    '(?:\\t(?:remote|pushRemote) = [\\w.][\\w./-]*\\n|\\tmerge = refs/[^\\s"\\\\#;]+\\n|\\trebase = \\w+\\n)*',
  ].join('')}|${[
    '\\[submodule "[\\w./ -]+"\\]\\n',
    '(?:\\tactive = (?:true|false)\\n|\\tupdate = (?:checkout|rebase|merge|none)\\n|\\turl = (?!-|ext::)[\\w.:/@~+%=-]+\\n)*',
  ].join('')})$`,
);
