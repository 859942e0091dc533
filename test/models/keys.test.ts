import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ErrorData } from '../../src/core/error.ts';
import type { ModelCheck } from '../../src/config/models/open-models.ts';
import { openModelServer } from '../../src/testing/model-server/server.ts';
import type { ServedReply } from '../../src/testing/model-server/script.ts';
import { documentOf, errorIn, type Ended } from '../support/command.ts';
import { runCommand } from '../support/command-process.ts';
import { consultFiles } from '../support/command-skills.ts';
import { tree, type Tree } from '../support/tree.ts';

const right = 'sk-test-proper-9876543210fedcba';
const wrong = 'sk-test-another-0123456789abcdef';
const expired: ServedReply = { status: 401, errorMessage: `The key ${right} has expired` };
const states = [
  { name: 'a wrong key', key: wrong, turn: 'Never said.', says: /^The key in \w+ was rejected by \w+\.$/ },
  { name: 'no key', key: '', turn: 'Never said.', says: / requires a key\b.*\bset\.$/ },
  {
    name: 'a key that has expired',
    key: right,
    turn: expired,
    says: /^The key in \w+ was rejected by \w+\.$/,
  },
] as const;

// Each case runs a real process: the command, and the position of the error's words in the output.
const commands: readonly {
  readonly name: string;
  args(url: string): readonly string[];
  env(url: string, key: string): Readonly<Record<string, string>>;
  error(ended: Ended): ErrorData | undefined;
}[] = [
  {
    name: 'skilled models --check',
    args: (url) => [
      'models',
      '--check',
      ...['--base-url', `${url}/v1`, '--model', 'llama', '--api-key-env', 'MY_KEY'],
    ],
    env: (_url, key) => ({ MY_KEY: key }),
    error: (ended) => (documentOf(ended)['checks'] as readonly ModelCheck[])[0]?.error,
  },
  {
    name: 'skilled run',
    args: () => ['run', '/consult', 'How are you?', '--model', 'anthropic/claude-haiku-5-5'],
    env: (url, key) => ({ ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: key }),
    error: (ended) => errorIn(ended) as ErrorData,
  },
];

function start(files: Tree, args: readonly string[], env: Readonly<Record<string, string>>): Promise<Ended> {
  const own = { HOME: files.at('home'), PATH: '/usr/bin:/bin', ...env };
  return runCommand([...args, '--json'], { cwd: files.at('work'), env: own });
}

describe('on the command line', { concurrency: true }, () => {
  for (const { name, args, env, error } of commands) {
    for (const { name: state, key, turn, says } of states) {
      test(`${name} with ${state} says so once, ends with 6 and does not show it`, async () => {
        using files = tree({ 'work/.git/HEAD': '', ...consultFiles });
        await using server = await openModelServer(() => turn, { authorization: right });
        const ended = await start(files, args(server.url), env(server.url, key));
        assert.equal(ended.code, 6, ended.out + ended.err);
        const reported = error(ended);
        assert.equal(reported?.code, 'model.denied', ended.out);
        assert.match(reported.message, says);
        assert.match(
          reported.hint ?? '',
          /^Set \w+ to a valid key\.(?: To try it: `skilled models --check .+`)?$/,
        );
        const asked = server.requests.filter(({ method }) => method === 'POST');
        assert.ok(asked.length <= 1, 'another try does not make a key better');
        for (const secret of [right, wrong])
          assert.ok(!`${ended.out}${ended.err}`.includes(secret), ended.out);
      });
    }
  }
});
