// Runs inside of a sandbox: makes its proxy, which is a file there, a port of its own machine, and then runs a command
// with the handles that it was given itself. It ends as the command ends.
import { spawn } from 'node:child_process';
import { connect, createServer, type Socket } from 'node:net';
import { constants } from 'node:os';

const [proxy = '', port, handles, program = '', ...words] = process.argv.slice(2);

createServer({ allowHalfOpen: true }, (client) => {
  const host = connect({ path: proxy, allowHalfOpen: true });
  pass(client, host);
  pass(host, client);
}).listen(Number(port), '127.0.0.1', run);

/** By hand: `pipe` looks at `process.stdout`, which makes the stream that the command writes to one that does not wait. */
function pass(from: Socket, to: Socket): void {
  from.on('data', (bytes) => {
    if (!to.write(bytes)) from.pause();
  });
  to.on('drain', () => from.resume());
  from.on('end', () => to.end());
  from.on('error', () => to.destroy());
  from.on('close', () => to.destroy());
}

function run(): void {
  const command = spawn(program, words, {
    stdio: Array.from({ length: Number(handles) }, (_, handle) => handle),
  });
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT'] as const) {
    process.on(signal, () => command.kill(signal));
  }
  command.on('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal ?? 'SIGKILL']));
  command.on('error', (fault: NodeJS.ErrnoException) => {
    process.stderr.write(`${program}: ${fault.message}\n`);
    process.exit(fault.code === 'ENOENT' ? 127 : 126); // as a shell says it
  });
}
