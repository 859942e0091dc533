import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { bundleOfText, nowhere } from '../../core/bundle.ts';
import type { Parsed } from '../../core/family.ts';
import { familyContract } from '../../testing/family-contract.ts';
import type { McpDefinition } from './definition.ts';
import { mcp } from './index.ts';
import { parse } from './parse.ts';

const names = ['file-desk', 'issue-desk', 'web-search'] as const;
const fixture = (name: (typeof names)[number]): string =>
  readFileSync(new URL(`fixtures/${name}/mskill.md`, import.meta.url), 'utf8');
const read = (text: string): Parsed<McpDefinition> => parse(bundleOfText(text, nowhere));
const codesOf = (text: string): readonly string[] =>
  read(text).issues.map((issue) => `${issue.level} ${issue.code}:${issue.line}`);
const withSections = (sections: string): string => `# a\n\n## Description\n\nDoes a.\n\n${sections}`;
const withServers = (json: string): string => withSections(`## Servers\n\n\`\`\`json\n${json}\n\`\`\`\n`);

familyContract(mcp, { valid: Object.fromEntries(names.map((name) => [name, fixture(name)])) });

describe('an mskill.md', () => {
  test('gives instructions, tools and servers from its sections', () => {
    const { name, card, definition, issues } = read(fixture('file-desk'));
    assert.equal(name, 'File Desk');
    assert.deepEqual(card, {
      description: 'Finds and reads documents in the shared folder.',
      allowedTools: ['files.list_directory', 'files.readFile'],
    });
    assert.deepEqual(definition, {
      instructions: 'List before you read. Never guess a path.',
      allowedTools: ['files.list_directory', 'files.readFile'],
      servers: [
        {
          kind: 'stdio',
          name: 'files',
          command: 'npx',
          args: ['-y', '@modelcontextprotocol/server-filesystem', '.'],
          env: { LOG_LEVEL: 'error' },
        },
        {
          kind: 'http',
          name: 'archive',
          url: 'https://archive.example.com/mcp',
          headers: { 'X-Team': 'docs' },
        },
      ],
    });
    assert.deepEqual(issues, []);
  });

  test('takes names of servers and tools from frontmatter, and a script from its fence', () => {
    const { card, definition, issues } = read(fixture('issue-desk'));
    assert.deepEqual(card.allowedTools, ['github.create_issue', 'chat.post']);
    assert.deepEqual(definition?.servers, [
      { kind: 'named', name: 'github' },
      { kind: 'named', name: 'chat' },
    ]);
    assert.match(definition?.script?.text ?? '', /^@issue github\.create_issue/);
    assert.equal(
      fixture('issue-desk').split('\n')[(definition?.script?.line ?? 0) - 1]?.slice(0, 6),
      '@issue',
    );
    assert.deepEqual(issues, []);
  });

  test('reports a script that is no plan on its line', () => {
    assert.deepEqual(codesOf(withSections('## Script\n\n```\n@a files.read x\n@b\n```\n')), [
      'error script.syntax:11',
    ]);
  });

  for (const heading of [
    'Instructions',
    'Guidance',
    'System-Prompt',
    'System Prompt',
    'Overview',
    'MCP-Guidance',
  ]) {
    test(`may head its instructions "${heading}"`, () => {
      assert.equal(read(withSections(`## ${heading}\n\nDo it.\n`)).definition?.instructions, 'Do it.');
    });
  }

  for (const heading of ['Script', 'Light-SOP-Lang', 'LightSOPLang', 'Plan-Script', 'Plan SOPlang']) {
    test(`may head its script "${heading}"`, () => {
      assert.equal(read(withSections(`## ${heading}\n\n@a b\n`)).definition?.script?.text, '@a b');
    });
  }

  test('takes its description from the instructions when nothing else is there, with a finding', () => {
    assert.match(read(fixture('web-search')).card.description, /^Searches the web/);
    assert.deepEqual(codesOf(fixture('web-search')), ['warning description.derived:3']);
  });
});

describe('the tool list of an mskill.md', () => {
  test('is absent when not written: all tools', () => {
    const { card, definition } = read(fixture('web-search'));
    assert.ok(!('allowedTools' in card));
    assert.ok(definition !== undefined && !('allowedTools' in definition));
  });

  for (const written of ['', '-', '<!-- none -->']) {
    test(`is empty with ${JSON.stringify(written)}: no tools`, () => {
      const { card, issues } = read(withSections(`## Allowed Tools\n\n${written}\n`));
      assert.deepEqual(card.allowedTools, []);
      assert.deepEqual(issues, []);
    });
  }

  for (const heading of ['Allowed-Tools', 'Allowed Tools', 'Tool-Allowlist', 'Tool-Allow-List', 'Tools']) {
    test(`may be headed "${heading}", with names as written`, () => {
      assert.deepEqual(read(withSections(`## ${heading}\n\n- \`Files.readFile\`\n`)).card.allowedTools, [
        'Files.readFile',
      ]);
    });
  }

  test('allows nothing when it cannot be read', () => {
    assert.deepEqual(read('---\ndescription: d\nallowed-tools: {a: b}\n---\n').card.allowedTools, []);
  });
});

describe('the servers of an mskill.md', () => {
  test('are absent when not written, and none when the section is empty', () => {
    assert.ok(!('servers' in (read(fixture('web-search')).definition ?? {})));
    assert.deepEqual(read(withSections('## Servers\n')).definition?.servers, []);
  });

  test('may be a list of names', () => {
    const { definition, issues } = read(withSections('## Servers\n\n- github\n- `files`\n'));
    assert.deepEqual(definition?.servers, [
      { kind: 'named', name: 'github' },
      { kind: 'named', name: 'files' },
    ]);
    assert.deepEqual(issues, []);
  });

  test('may be a map in the frontmatter', () => {
    const text = '---\ndescription: d\nservers:\n  files:\n    command: npx\n    args: [-y, server]\n---\n';
    assert.deepEqual(read(text).definition?.servers, [
      { kind: 'stdio', name: 'files', command: 'npx', args: ['-y', 'server'], env: {} },
    ]);
    assert.deepEqual(codesOf(text), []);
  });

  test('may be pasted with the wrapper of a .mcp.json file', () => {
    const { definition, issues } = read(
      withServers('{"mcpServers": {"web": {"type": "http", "url": "https://example.com/mcp"}}}'),
    );
    assert.deepEqual(definition?.servers, [
      { kind: 'http', name: 'web', url: 'https://example.com/mcp', headers: {} },
    ]);
    assert.deepEqual(issues, []);
  });

  for (const [what, json] of Object.entries({
    'neither command nor url': '{"a": {}}',
    'both command and url': '{"a": {"command": "x", "url": "https://example.com"}}',
    'a blank command': '{"a": {"command": " "}}',
    'a command that is no text': '{"a": {"command": 1}}',
    'args that are no list': '{"a": {"command": "x", "args": "y"}}',
    'args that are no texts': '{"a": {"command": "x", "args": [1]}}',
    'env that is no map of texts': '{"a": {"command": "x", "env": {"A": 1}}}',
    'a url of another kind': '{"a": {"url": "file:///etc/passwd"}}',
    'a url that is none': '{"a": {"url": "https://"}}',
    'headers that are no map of texts': '{"a": {"url": "https://example.com", "headers": []}}',
    'an unknown member': '{"a": {"command": "x", "disabled": true}}',
    'a blank in the name': '{"a b": {"command": "x"}}',
    'no object': '{"a": "npx"}',
  })) {
    test(`with ${what} are left out, with an error on the line of the fence`, () => {
      const text = withServers(`${json.slice(0, -1)}, "good": {"command": "x"}}`);
      assert.deepEqual(read(text).definition?.servers, [
        { kind: 'stdio', name: 'good', command: 'x', args: [], env: {} },
      ]);
      assert.deepEqual(codesOf(text), ['error server.invalid:9']);
    });
  }

  for (const json of ['{', '[]', '"x"']) {
    test(`in a fence that is ${json} are none, with an error`, () => {
      assert.deepEqual(read(withServers(json)).definition?.servers, []);
      assert.deepEqual(codesOf(withServers(json)), ['error server.invalid:9']);
    });
  }

  test('named in prose are left out, with an error', () => {
    const text = withSections('## Servers\n\n- github\n- the other one\n');
    assert.deepEqual(read(text).definition?.servers, [{ kind: 'named', name: 'github' }]);
    assert.deepEqual(codesOf(text), ['error server.invalid:7']);
  });
});

test('the example in the README parses without a finding', () => {
  const page = readFileSync(new URL('README.md', import.meta.url), 'utf8');
  const example = /^(`{3,})markdown\n([^]*?)^\1$/m.exec(page)?.[2] ?? '';
  const { definition, issues } = read(example);
  assert.notEqual(definition, undefined);
  assert.deepEqual(issues, []);
});
