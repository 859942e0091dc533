import assert from 'node:assert/strict';
import { existsSync, globSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, test } from 'node:test';
import { commands } from '../src/cli/commands.ts';
import { requirementKeys } from '../src/core/descriptor/card.ts';
import { unusedFields } from '../src/core/descriptor/unused-fields.ts';
import { errorCodes } from '../src/core/error.ts';
import { modelNames } from '../src/core/model/sources.ts';
import { otherPrograms, type OtherProgram } from '../src/core/other-programs.ts';
import { foreignTools } from '../src/core/policy/foreign-tools.ts';
import { hookEvents } from '../src/core/descriptor/hooks.ts';
import { extensionFields } from '../src/families/agent-skill/lint.ts';
import { placeholders } from '../src/families/agent-skill/render/placeholders.ts';
import { builtinFamilies } from '../src/families/index.ts';
import { fieldsByProgram } from '../src/families/subagent/settings.ts';
import { projectBases, standardRoots, userBases } from '../src/skills/discover/roots.ts';
import { fileBuilders } from '../scripts/reference/file-builders.ts';
import { readHelp } from '../scripts/reference/read-help.ts';
import { readParts } from '../scripts/reference/read-parts.ts';
import { tableOf } from '../scripts/reference/markdown.ts';
import { unreadFiles } from '../scripts/reference/unread-files.ts';
import { readText, root } from './support/pages.ts';

describe('what comes from the code', () => {
  for (const [file, build] of Object.entries(fileBuilders)) {
    test(`${file} is up to date; else type "npm run docs"`, async () => {
      const written = existsSync(join(root, file)) ? readText(file) : '';
      assert.ok(written === (await build()), `${file} is not what the code gives: type "npm run docs".`);
    });
  }

  test('every page of the reference is made by the script', () => {
    const pages = globSync('docs/reference/**/*.md', { cwd: root });
    assert.deepEqual(
      pages.filter((file) => !Object.hasOwn(fileBuilders, file)),
      [],
    );
  });
});

describe('the reference is complete', () => {
  test('every command has its section with a usage and an example', () => {
    const sections = sectionsOf('docs/reference/cli.md');
    for (const { name } of commands) {
      const section = sections.get(`skilled ${name}`) ?? '';
      assert.match(section, new RegExp('^```text\\nskilled ', 'm'), name);
      assert.match(section, new RegExp(`^\`\`\`sh\\n(?:.*\\n)*?.*\\bskilled ${name}\\b`, 'm'), name);
    }
  });

  test('every flag in the help of a command is on the page', async () => {
    const page = readText('docs/reference/cli.md');
    for (const { name, load } of commands)
      for (const [flag] of (await load()).usage.matchAll(/^ {2}(?:-\w, )?--[\w-]+/gm))
        assert.ok(page.includes(`\`${flag.trim()}`), `${name} ${flag}`);
  });

  test('every error code says what it means and what to do', () => {
    const rows = readText('docs/reference/errors.md').matchAll(
      /^\| `([a-z.-]+)` \| \d+ \| [^|]+\. \| [^|]+\. \|$/gm,
    );
    assert.deepEqual(
      [...rows].map(([, code]) => code),
      [...errorCodes],
    );
  });

  test('every type of event that a log of the tests has is explained', () => {
    const sections = sectionsOf('docs/reference/events.md');
    const logged = globSync('test/journeys/fixtures/*.jsonl', { cwd: root })
      .flatMap((log) => readText(log).trim().split('\n'))
      .map((line) => (JSON.parse(line) as { readonly type: string }).type);
    assert.ok(new Set(logged).size > 15);
    for (const type of new Set(logged)) assert.match(sections.get(type) ?? '', /^\n\n?[A-Z].*\.\n/, type);
  });

  test('every family says what it reads, and each of it has a row', async () => {
    const sections = sectionsOf('docs/reference/descriptors.md');
    for (const { id, descriptor } of builtinFamilies) {
      if (descriptor === undefined) continue;
      const names = (await readParts(id)).flatMap((part) => Object.keys(part.names));
      assert.equal(
        sections.get(id)?.match(/^\| (?!---|field|section|attribute)/gm)?.length,
        names.length,
        id,
      );
    }
  });
});

describe('the page about other programs is complete', () => {
  const page = sectionsOf('docs/reference/ecosystems.md');
  const mustName = (part: string, program: OtherProgram, names: readonly string[]): void => {
    const [, section] = [...page].find(([title]) => title.split(' and ').includes(program)) ?? [];
    const [, text = ''] = section?.split(`**${part}**`) ?? [];
    const shown = text.split('\n**')[0] ?? '';
    const missing = names.filter((name) => !shown.includes(`\`${name}\``));
    assert.deepEqual(missing, [], `${part}: ${program}`);
  };

  test('with every name that is acted on', () => {
    const names: readonly (readonly [string, readonly OtherProgram[]])[] = [
      ...foreignTools
        .filter(({ tools }) => tools.length > 0)
        .map(({ name, programs }) => [name, programs] as const),
      ...[...hookEvents, ...modelNames].map(({ name, programs }) => [name, programs] as const),
      ...placeholders.map(({ text, programs }) => [text, programs] as const),
      ...Object.entries({ ...extensionFields, ...requirementKeys }),
      ...Object.entries(fieldsByProgram).flatMap(([program, fields]) =>
        fields.map((field) => [field, [program as OtherProgram]] as const),
      ),
      ...projectBases.map(({ folder, skills }) => [join(folder, 'skills'), skills] as const),
      ...userBases.map(({ folder, skills }) => [join('~', folder, 'skills'), skills] as const),
      ...projectBases.map(({ folder, agents = [] }) => [join(folder, 'agents'), agents] as const),
      ...userBases.map(({ folder, agents = [] }) => [join('~', folder, 'agents'), agents] as const),
      ['.claude/commands', ['Claude Code']],
      ['.agents/*.md', ['pi-subagents']],
    ];
    for (const [name, programs] of names)
      for (const program of programs) mustName('Read and acted on', program, [name]);
  });

  test('with every name that is not acted on, and why', () => {
    for (const { name, programs, tools } of foreignTools)
      if (tools.length === 0) for (const one of programs) mustName('Read and not acted on', one, [name]);
    for (const { field, program } of unusedFields) mustName('Read and not acted on', program, [field]);
  });

  test('with a section for every program', () => {
    const titles = [...page.keys()].flatMap((title) => title.split(' and '));
    assert.deepEqual(titles, [...otherPrograms]);
    for (const { program, files = [] } of unreadFiles) mustName('Not read', program, files);
  });

  test('and no root contains a file that is not read', () => {
    const roots = standardRoots({ startDir: '/project', home: '/home', userRoots: true }, builtinFamilies);
    const read = unreadFiles
      .flatMap(({ files = [] }) => files)
      .filter((file) => {
        const at = file.startsWith('~/') ? join('/home', file.slice(2)) : join('/project', file);
        return roots.some(({ path, isFlat }) =>
          isFlat === true ? dirname(at) === path && at.endsWith('.md') : at.startsWith(`${path}/`),
        );
      });
    assert.ok(roots.length > 20);
    assert.deepEqual(read, []);
  });
});

describe('the script refuses what it cannot make a page of', () => {
  test('a family that does not say what it reads', async () => {
    await assert.rejects(readParts('unheard-of'), /There is no src\/families\/unheard-of\/reference\.ts/);
  });

  test('a flag without a meaning in a help', () => {
    assert.throws(() => readHelp('Usage: skilled x\n\n  --loud\n'), /no flag with a meaning/);
  });

  test('a bar and an empty column do not break a table', () => {
    assert.equal(
      tableOf(
        ['a', 'b', 'c'],
        [
          ['x | y', '', 'z'],
          ['', '', '1\n2'],
        ],
      ),
      '| a | c |\n| --- | --- |\n| x \\| y | z |\n| | 1 2 |\n',
    );
  });
});

/** Returns the text below each second-level heading. */
function sectionsOf(file: string): ReadonlyMap<string, string> {
  const sections = readText(file).split(/^## /m).slice(1);
  return new Map(
    sections.map((section) => [section.split('\n')[0] ?? '', section.replace(/^.*/, '')] as const),
  );
}
