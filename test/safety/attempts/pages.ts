import type { Canaries } from '../canaries.ts';
import type { Attempt } from './attempt.ts';

/** Attempts with the network from within this process. */
export function pageAttempts({ port, grantedPort }: Canaries): readonly Attempt[] {
  return [
    `http://127.0.0.1:${port}/`,
    `http://localhost:${port}/`,
    `http://[::1]:${port}/`,
    `http://0.0.0.0:${port}/`,
    `http://2130706433:${port}/`,
    `http://0x7f.1:${port}/`,
    `http://127.1:${port}/`,
    `http://[::ffff:127.0.0.1]:${port}/`,
    `http://user@127.0.0.1:${port}/`,
    `http://example.org@127.0.0.1:${port}/`,
    `http://127.0.0.1:${port}#example.org`,
    'http://169.254.169.254/latest/meta-data/',
    'http://[fd00:ec2::254]/',
    'file:///etc/passwd',
    'ftp://127.0.0.1/',
    `gopher://127.0.0.1:${port}/`,
    `data:text/plain,x`,
    `http://127.0.0.1:${grantedPort}/`,
    'unix:///canary.sock',
  ].map((url) => ({ name: 'webfetch', input: { url } }));
}
