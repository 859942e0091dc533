// Runs inside a sandbox. Listens on a local port, forwards connections to the proxy's socket file, and runs a
// command that inherits the file handles. Exits when the command exits.
import { spawn } from 'node:child_process';
import { connect, createServer, type Socket } from 'node:net';
import { constants } from 'node:os';

const [proxy = '', port, handles, program = '', ...args] = process.argv.slice(2);

createServer({ allowHalfOpen: true }, (client) => {
  const host = connect({ path: proxy, allowHalfOpen: true });
  pass(client, host);
  pass(host, client);
}).listen(Number(port), '127.0.0.1', run);

/**
 * Forwards data from one socket to another. Does not use `pipe`, because `pipe` reads `process.stdout`, which
 * would make the command's output non-blocking.
 */
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
  const command = spawn(program, args, {
    stdio: Array.from({ length: Number(handles) }, (_, handle) => handle),
  });
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT'] as const) {
    process.on(signal, () => command.kill(signal));
  }
  command.on('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal ?? 'SIGKILL']));
  command.on('error', (fault: NodeJS.ErrnoException) => {
    process.stderr.write(`${program}: ${fault.message}\n`);
    process.exit(fault.code === 'ENOENT' ? 127 : 126); // The exit codes that shells use for these errors.
  });
}
