import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, statSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, normalize } from 'node:path';
import { gitEnvironment } from './git.ts';

/** A server on this machine. */
export interface LocalServer extends AsyncDisposable {
  readonly origin: string;
  /** The paths that were requested. */
  readonly requests: string[];
}

type Answer = (request: IncomingMessage, response: ServerResponse, path: string) => void;

/** Starts a server on a free port. */
export async function serve(answer: Answer): Promise<LocalServer> {
  const requests: string[] = [];
  const server: Server = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url ?? '/', 'http://localhost').pathname);
    requests.push(path);
    answer(request, response, path);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Serves the files of a folder, as any static web server does. */
export function serveFolder(folder: string): Promise<LocalServer> {
  return serve((_request, response, path) => {
    const file = join(folder, normalize(path));
    if (statSync(file, { throwIfNoEntry: false })?.isFile() === true) response.end(readFileSync(file));
    else response.writeHead(404).end();
  });
}

/** Serves the repositories in a folder with git's own server for HTTP. */
export async function serveRepositories(folder: string): Promise<LocalServer> {
  const backend = join(execFileSync('git', ['--exec-path'], { encoding: 'utf8' }).trim(), 'git-http-backend');
  return serve((request, response, path) => {
    const child = spawn(backend, [], {
      stdio: ['pipe', 'pipe', 'ignore'],
      env: {
        ...gitEnvironment,
        PATH: process.env['PATH'],
        GIT_PROJECT_ROOT: folder,
        GIT_HTTP_EXPORT_ALL: '1',
        GIT_CONFIG_COUNT: '1',
        GIT_CONFIG_KEY_0: 'safe.directory',
        GIT_CONFIG_VALUE_0: '*',
        PATH_INFO: path,
        QUERY_STRING: new URL(request.url ?? '/', 'http://localhost').searchParams.toString(),
        REQUEST_METHOD: request.method ?? 'GET',
        CONTENT_TYPE: request.headers['content-type'] ?? '',
        HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '',
        GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
      },
    });
    child.stdin.on('error', () => undefined);
    request.pipe(child.stdin);
    let head = Buffer.alloc(0);
    let isHead = true;
    child.stdout.on('data', (chunk: Buffer) => {
      if (!isHead) return void response.write(chunk);
      head = Buffer.concat([head, chunk]);
      const end = head.indexOf('\r\n\r\n');
      if (end < 0) return;
      isHead = false;
      for (const line of head.toString('latin1', 0, end).split('\r\n')) {
        const [name = '', value = ''] = line.split(': ', 2);
        if (name === 'Status') response.statusCode = Number(value.slice(0, 3));
        else response.setHeader(name, value);
      }
      response.write(head.subarray(end + 4));
    });
    child.on('close', () => void response.end());
  });
}

/** A version of a package in a registry. */
export interface PublishedPackage {
  readonly name: string;
  readonly version: string;
  readonly archive: Uint8Array;
  readonly integrity: string;
}

/** Serves packages as a registry of npm does. The list can change while the server runs. */
export async function serveRegistry(packages: PublishedPackage[]): Promise<LocalServer> {
  const server = await serve((request, response, path) => {
    const origin = `http://${request.headers.host ?? ''}`;
    const archive = packages.find((one) => path === `/${one.name}/-/${one.version}.tgz`);
    if (archive !== undefined) return void response.end(archive.archive);
    const versions = packages.filter(({ name }) => path === `/${name}`);
    const [latest] = versions.slice(-1);
    if (latest === undefined) return void response.writeHead(404).end();
    const entries = versions.map(({ name, version, integrity }) => {
      const dist = { tarball: `${origin}/${name}/-/${version}.tgz`, integrity };
      return [version, { name, version, dist }];
    });
    response.setHeader('content-type', 'application/json');
    response.end(
      JSON.stringify({
        name: latest.name,
        'dist-tags': { latest: latest.version },
        versions: Object.fromEntries(entries) as object,
      }),
    );
  });
  return server;
}
