import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { buildOddServer } from './odd-tools.ts';

// An MCP server over stdio with unusual behaviour. Its first argument selects the behaviour.
const [, , way = 'tools'] = process.argv;
if (way === 'crash') {
  process.stderr.write(
    'starting\nError: getaddrinfo ENOTFOUND example.org\n    token=sk-proj-abcdefghijklmnopqrstuvwxyz123456\n',
  );
  process.exit(3);
}
if (way === 'noise') process.stdout.write('Welcome to the server!\n');
if (way === 'mute') process.stdin.resume();
else
  serveStdio(() => buildOddServer((line) => process.stdout.write(line)), {
    legacy: way === 'modern' ? 'reject' : 'serve',
  });
