import { settingsSources, findIgnoredKeys, type SettingsSources } from '../../../config/read/settings.ts';
import {
  ownFolderGrants,
  ownTrustBook,
  projectDigest,
  projectState,
  trustedFiles,
} from '../../../config/trust.ts';
import { isFromServer, optional, type Source } from '../../../core/index.ts';
import {
  howToTrust,
  skillPath,
  reachedName,
  runningFiles,
  trustOf,
  type SkillTrust,
} from '../../../doctor/trust.ts';
import {
  fitRows,
  oneLine,
  openAgent,
  paint,
  pasteableRows,
  printJson,
  table,
  type Cell,
  type Color,
  type Column,
  type Invocation,
  type Terminal,
  type RecursiveSkilledAgent,
} from '../../command-kit.ts';

type Book = ReturnType<typeof ownTrustBook>;

/** Lists everything that is trusted, the local items that need trust, and this project's trust state. */
export async function listTrust({ flags, terminal }: Invocation): Promise<number> {
  await using agent = await openAgent(flags);
  const book = ownTrustBook();
  const entries = book.list();
  const skills = listedSkills(agent, book);
  const folders = ownFolderGrants().list();
  const project = listedProject(settingsSources(flags.cwd, { isSafe: flags.safe }), book);
  if (flags.json) {
    printJson(terminal, { ok: true, skills, ...optional('project', project), ...entries, folders });
    return 0;
  }
  const shown = trustTable({ skills, project, entries, folders }, terminal);
  terminal.out(fitRows(shown, terminal));
  if (flags.quiet) return 0;
  if (shown === '')
    terminal.err(pasteableRows('Nothing is trusted, and nothing here needs trust.\n', terminal));
  const say = (line: string): void => terminal.err(`${pasteableRows(line, terminal)}\n`);
  const needed = skills.filter(({ trust }) => trust === 'needed').map(({ name }) => name);
  if (needed.length > 0)
    say(`Skills that are not trusted need approval before they run. ${howToTrust(needed)}`);
  if (project !== undefined && project.uncounted.length > 0) {
    const keys = project.uncounted.join(', ');
    say(
      `Ignored in the settings of this project: ${keys}. To trust the current settings: \`skilled trust grant .\``,
    );
  }
  return 0;
}

function listedSkills(agent: RecursiveSkilledAgent, book: Book): readonly ListedSkill[] {
  const { bundles } = book.list();
  return agent.skills.list().flatMap((skill): ListedSkill[] => {
    const state = trustOf(agent, book, skill);
    if (state === undefined) return [];
    const { source } = skill;
    const name = reachedName(agent, skill);
    const dir = skillPath(skill);
    const changed = state.trust === 'needed' && bundles.some((known) => known.dir === dir);
    const files = runningFiles(agent, skill);
    return [{ name, source, dir, ...state, files, ...(changed ? { changed } : {}) }];
  });
}

function listedProject(sources: SettingsSources, book: Book): ListedProject | undefined {
  const state = projectState(sources);
  const digest = state && projectDigest(state);
  if (state === undefined || digest === undefined) return undefined;
  const files = trustedFiles(state);
  const { folder } = state;
  const trusted = book.isTrustedProject(folder, digest);
  const changed = !trusted && book.list().projects.some((known) => known.folder === folder);
  const uncounted = findIgnoredKeys(sources);
  return { folder, digest, files, trusted, ...(changed ? { changed } : {}), uncounted };
}

interface Listed {
  /** The folders whose skills are trusted. */
  readonly folders: readonly string[];
  readonly skills: readonly ListedSkill[];
  readonly project: ListedProject | undefined;
  readonly entries: ReturnType<ReturnType<typeof ownTrustBook>['list']>;
}

interface Row {
  readonly state: string;
  readonly color: Color;
  readonly name: string;
  readonly digest: string;
  readonly what: string;
  readonly path: string;
}

const columns: readonly Column[] = [
  { title: 'TRUST' },
  { title: 'NAME', most: 40 },
  { title: 'DIGEST', dropOrder: 1 },
  { title: 'FOR', most: 50 },
  { title: 'PATH' },
];

/**
 * Formats a table of the local items that need trust, followed by the trusted items. Returns an empty string
 * if there are none.
 */
function trustTable({ skills, project, entries, folders }: Listed, terminal: Terminal): string {
  const here = new Map(skills.map((skill) => [skill.digest, skill]));
  const rows = [
    ...skills.filter(({ trust }) => trust === 'needed').map(neededRow),
    ...(project !== undefined && project.uncounted.length > 0
      ? [projectRow(project, project.changed === true ? 'changed' : 'needed')]
      : []),
    ...entries.bundles.map(({ name, digest, dir }): Row => {
      const what = here.get(digest)?.files.join(', ') ?? '';
      return { state: 'granted', color: 'green', name, digest, what, path: dir };
    }),
    ...entries.leave.map(({ skill, digest, rule, dir }): Row => {
      return { state: 'allowed', color: 'green', name: skill, digest, what: rule, path: dir };
    }),
    ...entries.projects.map((known) => {
      const files = known.digest === project?.digest ? project.files : [];
      return projectRow({ ...known, files }, 'granted');
    }),
    ...entries.pins.map(pinRow),
    ...folders.map((path): Row => {
      return { state: 'granted', color: 'green', name: '*', digest: '', what: 'skills in this folder', path };
    }),
  ];
  if (rows.length === 0) return '';
  return table(
    columns,
    rows.map((row) => cellsOf(row, terminal)),
    terminal,
  );
}

function pinRow({ name, hash, at }: Listed['entries']['pins'][number]): Row {
  const [server = ''] = name.split('.');
  const what = `tool of the server ${server} as of ${new Date(at).toISOString().slice(0, 10)}`;
  return { state: 'tool', color: 'green', name, digest: hash, what, path: '' };
}

function neededRow({ name, source, digest = '', files, fault, changed, dir }: ListedSkill): Row {
  const state = changed === true ? 'changed' : 'needed';
  const nothing = isFromServer({ source, isDefinedInCode: false }) ? 'its text' : 'an empty scripts folder';
  const what = fault === undefined ? files.join(', ') || nothing : `its folder ${fault}`;
  return { state, color: 'yellow', name, digest, what, path: dir };
}

function projectRow(
  { folder, digest, files }: Pick<ListedProject, 'folder' | 'digest' | 'files'>,
  state: 'needed' | 'changed' | 'granted',
): Row {
  const color = state === 'granted' ? 'green' : 'yellow';
  return { state, color, name: '.', digest, what: files.join(', ') || 'settings', path: folder };
}

function cellsOf({ state, color, name, digest, what, path }: Row, terminal: Terminal): readonly Cell[] {
  return [
    { text: state, paint: (text) => paint(text, color, terminal) },
    ...[name, digest.replace('sha256:', '').slice(0, 12), what, path].map((text) => ({
      text: oneLine(text),
    })),
  ];
}

/** A skill that needs trust, and whether it is trusted. */
interface ListedSkill extends SkillTrust {
  /** A name that identifies the skill unambiguously. */
  readonly name: string;
  readonly source: Source;
  readonly dir: string;
  /** The skill's executable files, relative to the skill's folder. */
  readonly files: readonly string[];
  /** Set if another version of the skill is trusted. */
  readonly changed?: true;
}

/** The settings of the current project. */
interface ListedProject {
  readonly folder: string;
  readonly digest: string;
  readonly files: readonly string[];
  readonly trusted: boolean;
  /** Set if another version of the settings is trusted. */
  readonly changed?: true;
  /** The keys of the settings that have no effect until the project is trusted. */
  readonly uncounted: readonly string[];
}
