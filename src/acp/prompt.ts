import type { ContentBlock } from '@agentclientprotocol/sdk';
import type { PromptOptions } from '../agent/prompt-options.ts';
import { visible, type Attachment } from '../core/index.ts';

/** A prompt as an agent takes it. */
interface PromptContent extends Pick<PromptOptions, 'attachments'> {
  readonly prompt: string;
}

/**
 * Converts the content of an editor's prompt. Files that the editor includes follow the user's text, in a
 * block that names the file; a link to a file is an @ with the file's path. Pure.
 */
export function readContent(blocks: readonly ContentBlock[]): PromptContent {
  const line: string[] = [];
  const files: string[] = [];
  const attachments: Attachment[] = [];
  for (const block of blocks) {
    switch (block.type) {
      case 'text':
        line.push(block.text);
        break;
      case 'resource_link':
        line.push(`@${pathIn(block.uri)}`);
        break;
      case 'resource': {
        const { resource } = block;
        line.push(`@${pathIn(resource.uri)}`);
        if ('text' in resource) files.push(fileBlock(pathIn(resource.uri), resource.text));
        else attachments.push(pictureIn(pathIn(resource.uri), resource.mimeType, resource.blob));
        break;
      }
      case 'image':
        attachments.push(pictureIn(`picture-${attachments.length + 1}`, block.mimeType, block.data));
        break;
      case 'audio':
        line.push('[audio, which skilled cannot read]');
    }
  }
  const prompt = [line.join(''), ...files].join('\n\n').trim();
  return { prompt, ...(attachments.length === 0 ? {} : { attachments }) };
}

function pictureIn(name: string, mediaType: string | null | undefined, data: string): Attachment {
  return { name, mediaType: mediaType ?? 'application/octet-stream', data };
}

/** Returns the path of a file's address. Other addresses stay as they are. */
function pathIn(uri: string): string {
  return uri.startsWith('file://') && URL.canParse(uri) ? decodeURIComponent(new URL(uri).pathname) : uri;
}

function fileBlock(path: string, text: string): string {
  const ticks = text.match(/`{3,}/g) ?? [];
  const fence = '`'.repeat(Math.max(2, ...ticks.map((run) => run.length)) + 1);
  return `${visible(path)}:\n${fence}\n${text}\n${fence}`;
}
