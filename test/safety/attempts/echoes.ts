import type { Canaries } from '../canaries.ts';
import type { Stage } from '../stage.ts';
import { command, type Attempt } from './attempt.ts';

/** Attempts with a shell that may only run `echo`. */
export function echoAttempts({ outside, home }: Stage, { port }: Canaries): readonly Attempt[] {
  return [
    'echo $(cat ../outside/secret.txt)',
    'echo `env`',
    'echo <(env)',
    `echo "$(<${outside}/secret.txt)"`,
    'echo x; env',
    'echo x && env',
    'echo x | env',
    'echo x & env',
    'echo x\nenv',
    'X=1 echo x',
    'env echo x',
    `echo x > ${home}/.bashrc`,
    'echo x > .skilled/settings.json',
    'echo x > /dev/tcp/127.0.0.1/' + String(port),
    'echo() { env; }; echo x',
    'eval echo x',
    'command echo x',
    "ec''ho x; env",
    'builtin echo x; env',
    '"echo" x;env',
    'skilled approve --always',
    'node skilled approve',
    `ln -s ${outside} made`,
    'cp -r ../outside .',
    'export -p',
    'echo $$read-1',
    'echo $$bash-1; env',
    'echo ${x:=$(env)}',
    'echo {a,b} > PWNED',
    'if echo x; then env; fi',
  ].map(command);
}
