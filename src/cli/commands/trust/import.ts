import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { installConfig } from '../../../config/install.ts';
import { ownTrustBook } from '../../../config/trust.ts';
import { AgentError, reasonOf } from '../../../core/index.ts';
import { readLock } from '../../../install/lock-file.ts';
import { grantsOf, readTrustList } from '../../../install/trust-list.ts';
import { oneLine, printJson, type Invocation } from '../../command-kit.ts';

/** Trusts the versions of skills that a signed list of a team names, and nothing else. */
export async function importTrust({ flags, args, terminal }: Invocation): Promise<number> {
  const [given] = args;
  if (given === undefined)
    throw new AgentError('usage.bad-input', 'Missing trust list.', {
      hint: 'Run `skilled trust import <file>`. Its signature is in <file>.sig.',
    });
  const file = resolve(flags.cwd, given);
  const { trustKeys, target } = installConfig(flags.cwd, { isSafe: flags.safe });
  const list = readTrustList(read(file), read(`${file}.sig`).toString('utf8'), trustKeys);
  const book = ownTrustBook();
  const grants = grantsOf(list, readLock(target.lockFile));
  const fresh = grants.filter(({ digest }) => !book.isTrusted(digest));
  for (const { name, digest } of fresh) await book.trust({ name, digest, dir: '' });
  if (flags.json) {
    printJson(terminal, { ok: true, trusted: fresh, known: grants.length - fresh.length });
    return 0;
  }
  for (const { name, digest } of fresh)
    terminal.out(`${oneLine(`now trusted: ${name} (${digest.slice(7, 19)})`)}\n`);
  if (fresh.length === 0 && !flags.quiet) terminal.err('Everything in the list was already trusted.\n');
  return 0;
}

const largest = 4_194_304;

function read(file: string): Buffer {
  try {
    const bytes = readFileSync(file);
    if (bytes.length <= largest) return bytes;
  } catch (thrown) {
    throw new AgentError('usage.not-found', `${file} cannot be read: ${reasonOf(thrown)}.`, {
      hint: 'A trust list has a signature beside it, in a file with the same name and .sig.',
      cause: thrown,
    });
  }
  throw new AgentError('limit.too-large', `${file} has more than ${largest} bytes.`, {
    hint: 'Split the list.',
  });
}
