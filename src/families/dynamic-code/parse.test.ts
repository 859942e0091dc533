import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { bundleOfText, nowhere } from '../../core/descriptor/bundle.ts';
import type { Parsed } from '../../core/family.ts';
import { familyContract } from '../../testing/family-contract.ts';
import type { DynamicCodeDefinition } from './parse.ts';
import { dynamicCode } from './index.ts';
import { parse } from './parse.ts';

const names = ['math-eval', 'unit-converter'] as const;
const fixture = (name: (typeof names)[number]): string =>
  readFileSync(new URL(`fixtures/${name}/dcgskill.md`, import.meta.url), 'utf8');
const read = (text: string): Parsed<DynamicCodeDefinition> => parse(bundleOfText(text, nowhere));
const codesOf = (text: string): readonly string[] =>
  read(text).issues.map((issue) => `${issue.level} ${issue.code}:${issue.line}`);
const withSections = (sections: string): string => `# a\n\n## Description\n\nDoes a.\n\n${sections}`;

familyContract(dynamicCode, { valid: Object.fromEntries(names.map((name) => [name, fixture(name)])) });

describe('a dcgskill.md', () => {
  test('gives prompt, argument and tier from its sections', () => {
    const { name, card, definition, issues } = read(fixture('math-eval'));
    assert.equal(name, 'Math Eval');
    assert.deepEqual(card, { description: 'Computes what can be computed.', allowedSkills: [] });
    assert.deepEqual(definition, {
      prompt:
        'Turn the request into a JavaScript expression and return its value. ' +
        'Answer in text when nothing is to be computed.',
      argument: 'The calculation in words or symbols.',
      tier: 'code',
    });
    assert.deepEqual(
      issues.map((issue) => issue.code),
      ['description.derived'],
    );
  });

  test('is typed by a JSON Schema fence in its argument section', () => {
    const { card, definition, issues } = read(fixture('unit-converter'));
    assert.deepEqual(card.input?.['required'], ['input']);
    assert.equal(definition?.model, 'provider/small-model');
    assert.equal(definition?.help, 'Try "12 miles in km".');
    assert.ok(definition !== undefined && !('tier' in definition));
    assert.deepEqual(issues, []);
  });

  for (const heading of ['Argument', 'Input', 'Parameters']) {
    test(`may head its argument "${heading}"`, () => {
      const { card, definition } = read(
        withSections(`## ${heading}\n\nNumbers.\n\n\`\`\`json\n{"type": "string"}\n\`\`\`\n`),
      );
      assert.match(definition?.argument ?? '', /^Numbers\./);
      assert.deepEqual(card.input, { type: 'string' });
    });
  }

  test('warns about an argument fence that is not a schema, on its line', () => {
    assert.deepEqual(codesOf(withSections('## Argument\n\nNumbers.\n\n```json\n{\n```\n')), [
      'warning schema.json:11',
    ]);
    assert.deepEqual(codesOf(withSections('## Argument\n\n```json\n[]\n```\n')), ['warning schema.type:9']);
  });

  test('takes its description from the prompt when nothing else is there, with a finding', () => {
    const { card } = read('# a\n\n## Prompt\n\nAdd the *numbers*.\n\nThen stop.\n');
    assert.equal(card.description, 'Add the *numbers*.');
    assert.deepEqual(codesOf('# a\n\n## Prompt\n\nAdd.\n'), ['warning description.derived:3']);
  });

  test('puts a bare prompt into "input"', () => {
    assert.equal(dynamicCode.input?.defaultArgument, 'input');
  });
});

describe('the model of a dcgskill.md', () => {
  for (const heading of ['LLM Model', 'LLM-Model', 'llm_model', 'Model']) {
    test(`may be headed "${heading}"`, () => {
      assert.equal(read(withSections(`## ${heading}\n\nprovider/m-1\n`)).definition?.model, 'provider/m-1');
    });
  }

  for (const written of ['`m-1`', '- m-1', '**m-1**', '"m-1"', '* `m-1`']) {
    test(`is the bare name in ${written}`, () => {
      const text = withSections(`## Model\n\n${written}\n`);
      assert.equal(read(text).definition?.model, 'm-1');
      assert.deepEqual(codesOf(text), []);
    });
  }

  for (const written of ['m-1 since it is cheap', 'm-1\n\nIt is cheap.', '- m-1\n- m-2']) {
    test(`is the first word of ${JSON.stringify(written)}, with a warning about the rest`, () => {
      const text = withSections(`## Model\n\n${written}\n`);
      assert.equal(read(text).definition?.model, 'm-1');
      assert.deepEqual(codesOf(text), ['warning model.prose:9']);
    });
  }

  test('is absent when the section is empty', () => {
    const { definition, issues } = read(withSections('## Model\n'));
    assert.ok(definition !== undefined && !('model' in definition));
    assert.deepEqual(issues, []);
  });
});

describe('the tier of a dcgskill.md', () => {
  for (const [written, tier] of [
    ['deep', 'code'],
    ['Deep thinking', 'code'],
    ['CODE', 'code'],
    ['fast', 'fast'],
    ['Fast please', 'fast'],
  ] as const) {
    test(`"${written}" is ${tier}`, () => {
      const text = withSections(`## Tier\n\n${written}\n`);
      assert.equal(read(text).definition?.tier, tier);
      assert.deepEqual(codesOf(text), []);
    });
  }

  for (const heading of ['LLM Mode', 'LLM-Mode', 'Mode', 'Tier']) {
    test(`may be headed "${heading}"`, () => {
      assert.equal(read(withSections(`## ${heading}\n\ndeep\n`)).definition?.tier, 'code');
    });
  }

  test('is fast for any other text, with a warning', () => {
    assert.equal(read(withSections('## Mode\n\nplan\n')).definition?.tier, 'fast');
    assert.deepEqual(codesOf(withSections('## Mode\n\nplan\n')), ['warning tier.unknown:9']);
    assert.deepEqual(codesOf(withSections('## Mode\n')), ['warning tier.unknown:7']);
  });

  test('may be in the frontmatter', () => {
    assert.equal(read('---\ndescription: d\ntier: code\n---\n').definition?.tier, 'code');
    assert.equal(read('---\ndescription: d\nllm-mode: deep\n---\n').definition?.tier, 'code');
  });
});

describe('what a snippet of a dcgskill.md may do', () => {
  test('is nothing with other skills, unless the file names them', () => {
    assert.deepEqual(read(withSections('')).card.allowedSkills, []);
    assert.deepEqual(read(withSections('## Allowed Skills\n')).card.allowedSkills, []);
    const list = '- Fetch Rates\n- project:orders\n- orders\n- orders';
    for (const heading of ['Allowed Skills', 'Skill-Allowlist', 'Skills'])
      assert.deepEqual(read(withSections(`## ${heading}\n\n${list}\n`)).card.allowedSkills, [
        'fetch-rates',
        'project:orders',
        'orders',
      ]);
    const head = '---\ndescription: d\nallowed-skills: [orders]\n---\n';
    assert.deepEqual(read(head).card.allowedSkills, ['orders']);
  });

  test('takes as much time and memory as the file says', () => {
    const { definition, issues } = read('---\ndescription: d\ntimeout: 300\nmemory: 8\n---\n');
    assert.deepEqual([definition?.timeout, definition?.memory, issues], [300, 8, []]);
    assert.equal(read(withSections('## Timeout\n\n30\n')).definition?.timeout, 30);
  });

  for (const line of [
    'timeout: 0',
    'timeout: 301',
    'timeout: 10s',
    'timeout: -1',
    'memory: 7',
    'memory: lots',
  ]) {
    test(`is as usual after "${line}", with a warning`, () => {
      const text = `---\ndescription: d\n${line}\n---\n`;
      assert.deepEqual(read(text).definition, {});
      assert.deepEqual(codesOf(text), ['warning field.range:3']);
    });
  }
});

test('the example in the README parses without a finding', () => {
  const page = readFileSync(new URL('README.md', import.meta.url), 'utf8');
  const example = /^(`{3,})markdown\n([^]*?)^\1$/m.exec(page)?.[2] ?? '';
  const { definition, issues } = read(example);
  assert.notEqual(definition, undefined);
  assert.deepEqual(issues, []);
});
