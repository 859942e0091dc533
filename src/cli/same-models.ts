import type { Invocation } from './command.ts';
import { sameAgain } from './same-again.ts';
import { shellWord } from './shell-word.ts';

/** What a command line was told about where things are and who is asked. */
export type Told = Pick<Invocation, 'flags' | 'own' | 'lists'>;

/** The flags that a later command needs to go on with a run as this one does: the same runs, skills and models, with a blank before each. */
export function sameModels({ flags, own, lists }: Told): string {
  const single = ['base-url', 'api-key-env'].flatMap((name) => {
    const value = own[name];
    return typeof value === 'string' ? [`--${name}`, value] : [];
  });
  const models = (lists['model'] ?? []).flatMap((model) => ['--model', model]);
  const offline = flags.offline === undefined ? [] : [flags.offline ? '--offline' : '--no-offline'];
  const parts = [...models, ...single, ...offline];
  return `${sameAgain(flags)}${parts.map((part) => ` ${shellWord(part)}`).join('')}`;
}
