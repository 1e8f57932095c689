/** The floor of `bench/files.ts`: `pipeline()` between a socket and a file, and nothing else. Prints its port. */
import { createReadStream, createWriteStream, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { pipeline } from 'node:stream';

const folder = process.argv[2] ?? '.';
let count = 0;
const server = createServer((request, response) => {
  if (request.method === 'POST') {
    count += 1;
    const name = `${count}.bin`;
    pipeline(request, createWriteStream(join(folder, name), { flush: true }), () => {
      response.end(JSON.stringify({ message: { file_url: `/${name}` } }));
    });
    return;
  }
  const path = join(folder, (request.url ?? '').slice(1));
  response.setHeader('content-length', statSync(path).size);
  pipeline(createReadStream(path), response, () => undefined);
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  console.log(typeof address === 'object' ? address?.port : '');
});
