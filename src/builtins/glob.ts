import { defineSkill, zod, folderNames, renamesInput } from '../core/index.ts';
import { findFiles, isSearchMeantBy, realParts, searchMayTouch } from '../files/index.ts';

interface Search {
  readonly pattern: string;
  readonly path?: string | undefined;
}

/** Finds files in the workspace by name. */
export const glob = defineSkill({
  name: 'glob',
  description:
    'Finds files of the workspace, or of a listed skill, whose paths match a pattern such as **/*.ts, newest first. ' +
    'Files that git ignores are skipped.',
  permission: 'Glob',
  readOnly: true,
  allowedSkills: [],
  renameInput: renamesInput(folderNames),
  input: () => {
    const { z } = zod();
    return z.strictObject({
      pattern: z.string().min(1).describe('The pattern, relative to path: *, **, ?, [abc] and {a,b}.'),
      path: z.string().min(1).optional().describe('The folder to search. Default: the workspace.'),
    });
  },
  matches: (spec, input, workspace) => isSearchMeantBy(spec, folderOf(input), workspace),
  mayTouch: (spec, input, workspace) => searchMayTouch(spec, folderOf(input), workspace),
  parts: (input, workspace) => realParts(folderOf(input), workspace, (path) => ({ pattern: '**', path })),
  async run({ pattern, path }, scope) {
    const found = await scope.step('glob', () =>
      findFiles(
        { area: { workspace: scope.files.workspace, others: scope.files.readable }, pattern, path },
        scope.signal,
      ),
    );
    const { files, total, isStopped, unreadable } = found;
    const notes = [
      ...(files.length < total
        ? [
            `These are the newest ${files.length} of ${isStopped ? 'more than ' : ''}${total} files; use a narrower pattern.`,
          ]
        : []),
      ...(unreadable > 0 ? [`Folders that could not be opened: ${unreadable}.`] : []),
    ];
    const list = files.length === 0 ? ['No file matches.'] : files;
    return {
      status: 'done',
      text: [...list, ...notes.map((note) => `(${note})`)].join('\n'),
      value: { files, total, truncated: files.length < total },
    };
  },
});

/**
 * Returns the deepest folder that contains all possible matches: `path` followed by the folders that precede
 * the first wildcard in the pattern.
 */
function folderOf({ pattern, path = '.' }: Search): string {
  const folders = pattern.split('/').slice(0, -1);
  const wild = folders.findIndex((name) => /[*?[{\\]/.test(name));
  return [path, ...folders.slice(0, wild < 0 ? undefined : wild)].join('/');
}
