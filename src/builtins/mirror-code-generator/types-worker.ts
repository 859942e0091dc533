import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

interface Order {
  readonly compiler: string;
  readonly types: string;
  readonly declaration: string;
  /** The absolute paths of the files to check. */
  readonly files: readonly string[];
}

// Runs a TypeScript compiler on files and forwards its output. The compiler's settings are written to a
// temporary folder.
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
  const args = [compiler, '--project', settings, '--pretty', 'false'];
  const { status } = spawnSync(process.execPath, args, { stdio: 'inherit' });
  process.exitCode = status ?? 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
