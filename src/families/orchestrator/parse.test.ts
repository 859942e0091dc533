import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { toolTexts } from '../../../test/support/loop-stage.ts';
import { stageIn } from '../../../test/support/subagent-stage.ts';
import { tree } from '../../../test/support/tree.ts';
import { bundleOfText, nowhere } from '../../core/descriptor/bundle.ts';
import type { Parsed } from '../../core/family.ts';
import { familyContract } from '../../testing/family-contract.ts';
import type { OrchestratorDefinition } from './parse.ts';
import { orchestrator } from './index.ts';
import { parse } from './parse.ts';

const names = ['daily-summary', 'incident-desk', 'open-door', 'locked-room'] as const;
const fixture = (name: (typeof names)[number]): string =>
  readFileSync(new URL(`fixtures/${name}/oskill.md`, import.meta.url), 'utf8');
const read = (text: string): Parsed<OrchestratorDefinition> => parse(bundleOfText(text, nowhere));
const codesOf = (text: string): readonly string[] =>
  read(text).issues.map((issue) => `${issue.code}:${issue.line}`);
const withSections = (sections: string): string => `# a\n\n## Description\n\nDoes a.\n\n${sections}`;

familyContract(orchestrator, { valid: Object.fromEntries(names.map((name) => [name, fixture(name)])) });

describe('an oskill.md', () => {
  test('gives name, card and definition from its sections', () => {
    const { name, card, definition, issues } = read(fixture('daily-summary'));
    assert.equal(name, 'Daily Summary');
    assert.deepEqual(card, {
      description: 'Writes the summary of the day from open orders and exchange rates.',
      whenToUse: 'As in: how did the day go; end of day report',
      examples: ['how did the day go', 'end of day report'],
      allowedSkills: ['orders', 'fetch-rates', 'project:summarise', 'reporting/format_table', 'calendar'],
      allowedSkillLines: [23, 24, 25, 26, 34],
    });
    assert.deepEqual(definition, {
      description:
        'Writes the summary of the day from open orders and exchange rates.\n\n' +
        'Use it at the end of a working day, or when someone asks how the day went.',
      instructions:
        'Collect the open orders first. Convert every amount to euro. Keep the summary below ten lines.\n\n' +
        '### Tone\n\nPlain and short.',
      session: 'loop',
      allowedSkills: ['orders', 'fetch-rates', 'project:summarise', 'reporting/format_table'],
      preparation: 'Find out which day is meant.',
      allowedPrepSkills: ['calendar'],
      intents: ['how did the day go', 'end of day report'],
      help: 'Try "how did today go?".',
    });
    assert.deepEqual(issues, []);
  });

  test('takes name, description and short values from frontmatter', () => {
    const { name, card, definition, issues } = read(fixture('incident-desk'));
    assert.equal(name, 'incident-desk');
    assert.equal(card.description, 'Opens an incident, tells the people on call and keeps the log.');
    assert.deepEqual(card.requires, { env: ['PAGER_TOKEN'] });
    assert.deepEqual(card.allowedSkills, ['page-on-call', 'incident-log']);
    assert.equal(definition?.session, 'sop');
    assert.equal(definition?.instructions, 'Open the incident before anyone is told about it.');
    assert.deepEqual(issues, []);
  });

  for (const heading of [
    'Guidance',
    'Overview',
    'Orchestration-Guidance',
    'orchestration guidance',
    'INSTRUCTIONS',
  ]) {
    test(`may head its instructions "${heading}"`, () => {
      assert.equal(read(withSections(`## ${heading}\n\nDo it.\n`)).definition?.instructions, 'Do it.');
    });
  }

  test('reports a section it does not know, with its line and the likely one', () => {
    const { issues } = read(withSections('## Allowed Skils\n\n- x\n'));
    assert.deepEqual(
      issues.map(({ code, line }) => ({ code, line })),
      [{ code: 'section.unknown', line: 7 }],
    );
    assert.match(issues[0]?.hint ?? '', /"allowed-skills"/);
  });

  test('reports a field it does not know, with its line and the likely one', () => {
    const { issues, card } = read('---\ndescription: d\nallowed-skils: [x]\n---\n');
    assert.equal(card.allowedSkills, undefined);
    assert.deepEqual(
      issues.map(({ code, line }) => ({ code, line })),
      [{ code: 'field.unknown', line: 3 }],
    );
    assert.match(issues[0]?.hint ?? '', /"allowed-skills"/);
  });

  test('is unusable without any text', () => {
    const { definition, issues } = read('');
    assert.equal(definition, undefined);
    assert.deepEqual(
      issues.map((issue) => issue.code),
      ['descriptor.empty'],
    );
  });
});

describe('the description of an oskill.md', () => {
  test('comes from Summary, then Instructions, with a finding', () => {
    const both = read('# a\n\n## Summary\n\nShort.\n\n## Instructions\n\nLong.\n');
    assert.equal(both.card.description, 'Short.');
    assert.deepEqual(
      both.issues.map(({ code, line }) => ({ code, line })),
      [{ code: 'description.derived', line: 3 }],
    );
    assert.equal(read('# a\n\n## Instructions\n\nLong.\n').card.description, 'Long.');
  });

  test('prefers frontmatter over the section', () => {
    const { card, definition } = read(
      '---\ndescription: From the head.\n---\n\n## Description\n\nFrom the body.\n',
    );
    assert.equal(card.description, 'From the head.');
    assert.equal(definition?.description, 'From the head.');
  });

  test('is cut at 1024 characters with a finding on its line', () => {
    const { card, issues } = read(`---\nname: a\ndescription: ${'x'.repeat(1100)}\n---\n`);
    assert.equal(card.description.length, 1024);
    assert.deepEqual(
      issues.map(({ code, line }) => ({ code, line })),
      [{ code: 'description.long', line: 3 }],
    );
  });
});

describe('the intents of an oskill.md', () => {
  test("follow its file's description of when to use it, as many as fit", () => {
    const head = '---\ndescription: d\nwhen_to_use: In the evening.\n---\n';
    assert.equal(
      read(`${head}\n## Intents\n\n- close up\n- lights out\n`).card.whenToUse,
      'In the evening. As in: close up; lights out',
    );
    const many = Array.from({ length: 400 }, (_, index) => `- request ${index}`).join('\n');
    const { whenToUse = '' } = read(withSections(`## Intents\n\n${many}\n`)).card;
    assert.ok(whenToUse.length <= 1_000 && whenToUse.endsWith('; request 82'), whenToUse);
  });
});

describe('the session of an oskill.md', () => {
  for (const [written, session] of [
    ['loop', 'loop'],
    ['LOOP', 'loop'],
    ['`loop`', 'loop'],
    ['- loop', 'loop'],
    ['sop', 'sop'],
    ['SOP', 'sop'],
  ] as const) {
    test(`"${written}" is ${session}`, () => {
      const { definition, issues } = read(withSections(`## Session\n\n${written}\n`));
      assert.equal(definition?.session, session);
      assert.deepEqual(issues, []);
    });
  }

  for (const written of [
    'loop session',
    'a loop',
    'looping',
    'agentic',
    'loop\n\nbecause it asks back',
    '',
  ]) {
    test(`${JSON.stringify(written)} is sop, with a finding`, () => {
      const text = withSections(`## Session Type\n\n${written}\n`);
      assert.equal(read(text).definition?.session, 'sop');
      assert.deepEqual(codesOf(text), [`session.unknown:${written === '' ? 7 : 9}`]);
    });
  }

  test('is sop when nothing is said', () => {
    assert.equal(read(fixture('open-door')).definition?.session, 'sop');
    assert.deepEqual(read(fixture('open-door')).issues, []);
  });

  test('may be in the frontmatter, which goes before the section', () => {
    const text = '---\ndescription: d\nsession: loop\n---\n\n## Session\n\nsop\n';
    assert.equal(read(text).definition?.session, 'loop');
    assert.deepEqual(codesOf(text), ['section.overridden:6']);
  });
});

describe('the script of an oskill.md', () => {
  test('is the content of its fence, with the line it begins on', () => {
    const script = read(fixture('incident-desk')).definition?.script;
    assert.deepEqual(script?.text.split('\n').length, 4);
    assert.match(script?.text ?? '', /^# one step a line\n@incident /);
    assert.equal(fixture('incident-desk').split('\n')[(script?.line ?? 0) - 1], '# one step a line');
  });

  for (const heading of ['Script', 'Light-SOP-Lang', 'LightSOPLang', 'Plan-Script', 'Plan SOPlang']) {
    test(`may have the heading "${heading}" and no fence`, () => {
      const script = read(withSections(`## ${heading}\n\n@last final_answer done\n`)).definition?.script;
      assert.deepEqual(script, { text: '@last final_answer done', line: 9 });
    });
  }

  test('counts as absent when it is empty, with a finding', () => {
    const text = withSections('## Script\n\n```\n```\n');
    assert.equal(read(text).definition?.script, undefined);
    assert.deepEqual(codesOf(text), ['script.empty:9']);
  });

  test('that is not a plan is an error on its line of the file, and the skill can be used', () => {
    const text = withSections('## Script\n\n```sop\n@a look\n@b say "open\n@c\n```\n');
    const { definition, issues } = read(text);
    assert.equal(definition?.script?.text, '@a look\n@b say "open\n@c');
    assert.deepEqual(
      issues.map(({ level, code, line }) => `${level} ${code}:${line}`),
      ['error script.syntax:11', 'error script.syntax:12'],
    );
  });

  test('in the frontmatter has its errors on their lines too', () => {
    const text = '---\ndescription: d\nscript: |\n  @a look\n  @b\n---\n';
    assert.deepEqual(codesOf(text), ['script.syntax:5']);
  });

  test('that calls a skill beside the list is reported', () => {
    const script = '## Script\n\n@a fetch-rates\n@b project:orders $a\n@c fetch-rate\n@d final_answer $c\n';
    const { issues } = read(withSections(`## Allowed Skills\n\n- Fetch Rates\n- orders\n\n${script}`));
    assert.deepEqual(issues, [
      {
        level: 'warning',
        code: 'script.unknown-skill',
        message: 'The script calls "fetch-rate", which is not among the allowed skills.',
        hint: 'Did you mean "fetch-rates"?',
        line: 16,
      },
    ]);
    assert.deepEqual(codesOf(withSections(script)), []);
  });
});

test('a new orchestrator works unchanged', async () => {
  const text = orchestrator.authoring?.template?.('helper')['oskill.md'] ?? '';
  using files = tree({ '.agents/skills/helper/oskill.md': text, 'notes.md': 'The bell is new.' });
  await using on = stageIn(files, [
    { calls: [{ name: 'grep', input: { pattern: 'bell' } }] },
    'notes.md says that the bell is new.',
  ]);
  const { text: said } = await on.agent.run({ skill: 'helper', input: 'What is new?' }).result;
  assert.equal(said, 'notes.md says that the bell is new.');
  assert.match(toolTexts(on.model.requests[1])[0] ?? '', /notes\.md/);
});

test('the example in the README parses without a finding', () => {
  const page = readFileSync(new URL('README.md', import.meta.url), 'utf8');
  const example = /^(`{3,})markdown\n([^]*?)^\1$/m.exec(page)?.[2] ?? '';
  const { definition, issues } = read(example);
  assert.notEqual(definition, undefined);
  assert.deepEqual(issues, []);
});
