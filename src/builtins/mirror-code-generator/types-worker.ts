import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

interface Order {
  readonly compiler: string;
  readonly types: string;
  readonly declaration: string;
  /** Absolute. */
  readonly files: readonly string[];
}

// Lets a TypeScript compiler check files, and writes what that writes. Its settings lie where the code does not.
const { compiler, types, declaration, files } = JSON.parse(await text(process.stdin)) as Order;
const folder = mkdtempSync(join(tmpdir(), 'types-'));
try {
  const declared = join(folder, 'skilled.d.ts');
  const settings = join(folder, 'tsconfig.json');
  const compilerOptions = {
    target: 'esnext',
    lib: ['esnext'],
    module: 'esnext',
    moduleResolution: 'bundler',
    noEmit: true,
    strict: true,
    skipLibCheck: true,
    types: ['node'],
    typeRoots: [types],
    allowImportingTsExtensions: true,
    erasableSyntaxOnly: true,
    verbatimModuleSyntax: true,
    allowJs: true,
    checkJs: false,
    resolveJsonModule: true,
  };
  writeFileSync(declared, declaration);
  writeFileSync(settings, JSON.stringify({ compilerOptions, files: [declared, ...files] }));
  const words = [compiler, '--project', settings, '--pretty', 'false'];
  const { status } = spawnSync(process.execPath, words, { stdio: 'inherit' });
  process.exitCode = status ?? 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
