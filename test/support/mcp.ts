import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { inTheEnd } from './until.ts';

const BIN = fileURLToPath(new URL('../../node_modules/.bin/', import.meta.url));

/** What a tool answered. */
export interface ToolReply {
  readonly isError: boolean;
  /** Its text parts, joined. */
  readonly text: string;
  /** That text as JSON; undefined when it is not JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read replies of every shape
  readonly json: any;
}

export interface McpServer {
  readonly serverInfo: { readonly name: string; readonly version: string };
  /** The names of all tools. */
  tools(): Promise<string[]>;
  /** Runs a tool; a refusal of the tool is a reply with `isError`, one of the protocol rejects. */
  call(tool: string, args?: object): Promise<ToolReply>;
  /** Ends the process. */
  stop(): Promise<void>;
}

interface Message {
  readonly id?: number;
  // biome-ignore lint/suspicious/noExplicitAny: results of every method
  readonly result?: any;
  readonly error?: { readonly message: string };
}

/**
 * Starts an installed MCP server as an assistant does: the package's command with its settings in the environment,
 * JSON-RPC lines over its standard input and output, `initialize` first.
 */
export async function startMcpServer(
  command: string,
  env: Readonly<Record<string, string>>,
): Promise<McpServer> {
  const child = spawn(resolve(BIN, command), [], {
    env: { PATH: `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}`, ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const waiting = new Map<number, (message: Message) => void>();
  let noise = '';
  child.stderr.on('data', (chunk) => {
    noise += chunk;
  });
  createInterface({ input: child.stdout }).on('line', (line) => {
    const message = JSON.parse(line) as Message;
    if (message.id !== undefined) waiting.get(message.id)?.(message);
  });
  const closed = once(child, 'close').then(() => {
    const message = `${command} ended: ${noise.slice(-2000)}`;
    for (const settle of waiting.values()) settle({ error: { message } });
  });

  const send = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  let last = 0;
  // biome-ignore lint/suspicious/noExplicitAny: results of every method
  async function request(method: string, params: object): Promise<any> {
    const id = ++last;
    const reply = new Promise<Message>((settle) => waiting.set(id, settle));
    send({ id, method, params });
    const { result, error } = await inTheEnd(
      () => reply,
      () => `the answer of ${command} to ${method}: ${noise.slice(-2000)}`,
    );
    waiting.delete(id);
    if (error) throw new Error(`${method}: ${error.message}`);
    return result;
  }

  const { serverInfo } = await request('initialize', {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'test', version: '1' },
  });
  send({ method: 'notifications/initialized' });

  return {
    serverInfo,
    async tools() {
      const { tools } = await request('tools/list', {});
      return tools.map((tool: { name: string }) => tool.name);
    },
    async call(tool, args = {}) {
      const { content, isError } = await request('tools/call', { name: tool, arguments: args });
      const text = content.map((part: { text?: string }) => part.text ?? '').join('\n');
      return { isError: isError === true, text, json: parse(text) };
    },
    async stop() {
      child.kill('SIGTERM');
      await inTheEnd(
        () => closed,
        () => `the end of ${command} after SIGTERM: ${noise.slice(-2000)}`,
      );
    },
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
