import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { bundleOfText, nowhere } from '../../core/descriptor/bundle.ts';
import type { Parsed } from '../../core/family.ts';
import { familyContract } from '../../testing/family-contract.ts';
import type { McpDefinition } from './parse.ts';
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
      allowedTools: ['mcp__files__list_directory', 'mcp__files__readFile'],
      toolBound: {
        rules: ['mcp__files__list_directory', 'mcp__files__readFile'],
        lines: [11, 11],
        line: 11,
      },
      allowedSkills: [],
      fromOutside: true,
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
    assert.deepEqual(card.allowedTools, ['mcp__github__create_issue', 'mcp__chat__post']);
    assert.deepEqual(definition?.allowedTools, ['github.create_issue', 'chat.post']);
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

  test('reports a script that is not a plan on its line', () => {
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
      const codes = issues.map(({ code }) => code);
      assert.deepEqual(codes, written === '' ? ['field.blank'] : []);
    });
  }

  for (const heading of ['Allowed-Tools', 'Allowed Tools', 'Tool-Allowlist', 'Tool-Allow-List', 'Tools']) {
    test(`may be headed "${heading}", with names as written`, () => {
      const { card, definition } = read(withSections(`## ${heading}\n\n- \`Files.readFile\`\n`));
      assert.deepEqual(definition?.allowedTools, ['Files.readFile']);
      assert.deepEqual(card.allowedTools, ['mcp__Files__readFile'], 'as permission rules name it');
    });
  }

  test('may name all tools of a server, a tool of any server, and tools as rules do', () => {
    const list = '- files.*\n- search\n- mcp__web__get\n- mcp:mail\n- files.read_*\n';
    assert.deepEqual(read(withSections(`## Allowed Tools\n\n${list}`)).card.allowedTools, [
      ...['mcp__files__*', 'mcp__*__search', 'mcp__web__get', 'mcp__mail__*', 'mcp__files__read_*'],
    ]);
  });

  test('is checked against the servers of the file and by the script, with a finding for what leads nowhere', () => {
    const sections = '## Allowed Tools\n\n- filez.read\n- two words\n- files.list\n\n## Servers\n\n- files\n';
    assert.deepEqual(codesOf(withSections(sections)), ['warning tool.unknown:7', 'warning tool.unknown:7']);
    const script =
      '## Allowed Tools\n\n- files.list\n\n## Script\n\n```\n@a files.list x\n@b files.lost x\n```\n';
    const { issues } = read(withSections(script));
    assert.deepEqual(
      issues.map(({ code, message, hint, line }) => [code, message, hint, line]),
      [
        [
          'script.unknown-skill',
          'The script calls "files.lost", which is not among the allowed tools.',
          'Did you mean "files.list"?',
          15,
        ],
      ],
    );
  });

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
    'a name that could pass for a tool': '{"a__b": {"command": "x"}}',
    'what only settings may say': '{"a": {"url": "https://example.com", "bearer": "x"}}',
    'no object': '{"a": "npx"}',
  })) {
    test(`with ${what} are left out, with a warning on the line of the fence`, () => {
      const text = withServers(`${json.slice(0, -1)}, "good": {"command": "x"}}`);
      assert.deepEqual(read(text).definition?.servers, [
        { kind: 'stdio', name: 'good', command: 'x', args: [], env: {} },
      ]);
      assert.deepEqual(codesOf(text), ['warning server.invalid:9']);
    });
  }

  for (const json of ['{', '[]', '"x"']) {
    test(`in a fence that is ${json} are none, with an error`, () => {
      assert.deepEqual(read(withServers(json)).definition?.servers, []);
      assert.deepEqual(codesOf(withServers(json)), ['error server.invalid:9']);
    });
  }

  test('in a fence with a comma too many are none, and the error says where in it', () => {
    const { issues } = read(withServers('{\n"a": {"command": "x"},\n}'));
    assert.match(issues[0]?.message ?? '', /not a JSON object: .*property name on line 3 of the fence;/);
  });

  test('named in prose are left out, with a warning', () => {
    const text = withSections('## Servers\n\n- github\n- the other one\n');
    assert.deepEqual(read(text).definition?.servers, [{ kind: 'named', name: 'github' }]);
    assert.deepEqual(codesOf(text), ['warning server.invalid:7']);
  });
});

describe('the text that a person sees before an mskill.md may run', () => {
  const effectOf = (servers: string): object | undefined => {
    const { definition } = read(withSections(servers));
    return mcp.permission?.describe?.(definition);
  };

  test('is which servers it starts and what they may do', () => {
    const json = {
      files: { command: 'npx', args: ['files', '.'], workspace: 'read', hosts: ['example.com'] },
      web: { url: 'https://example.com/mcp' },
    };
    assert.deepEqual(effectOf(`## Servers\n\n\`\`\`json\n${JSON.stringify(json)}\n\`\`\`\n`), {
      runsOwnCode: true,
      effect:
        'It starts npx files . ("files"), which may read the workspace and may reach example.com; ' +
        'it connects to https://example.com/mcp ("web").',
    });
  });

  test('is whose servers they are; one that is only connected to runs nothing here', () => {
    assert.deepEqual(effectOf(''), { runsOwnCode: true, effect: 'It uses every server in the settings.' });
    assert.deepEqual(effectOf('## Servers\n\n- git\n'), {
      runsOwnCode: true,
      effect: 'It uses the server "git" from the settings.',
    });
    assert.deepEqual(effectOf('## Servers\n\n```json\n{"web": {"url": "https://example.com"}}\n```\n'), {
      effect: 'It connects to https://example.com ("web").',
    });
  });

  test('hides nothing of a command', () => {
    const json = JSON.stringify({ a: { command: 'run', args: ['\u202e\u001b[2J'] } });
    assert.match(
      JSON.stringify(effectOf(`## Servers\n\n\`\`\`json\n${json}\n\`\`\`\n`)),
      /u\{202e\}.*u\{1b\}/,
    );
    const hosts = [...Array.from({ length: 30 }, (_, index) => `host-${index}.example.com`), '*'];
    const every = JSON.stringify({ a: { command: 'run', hosts } });
    assert.match(
      JSON.stringify(effectOf(`## Servers\n\n\`\`\`json\n${every}\n\`\`\`\n`)),
      /may reach every host/,
    );
  });
});

test('the example in the README parses without a finding', () => {
  const page = readFileSync(new URL('README.md', import.meta.url), 'utf8');
  const example = /^(`{3,})markdown\n([^]*?)^\1$/m.exec(page)?.[2] ?? '';
  const { definition, issues } = read(example);
  assert.notEqual(definition, undefined);
  assert.deepEqual(issues, []);
});
