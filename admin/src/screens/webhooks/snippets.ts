/** Languages of the receiver snippets. */
export const SNIPPETS = { node: 'Node', python: 'Python', php: 'PHP', go: 'Go' } as const;
export type SnippetName = keyof typeof SNIPPETS;

/**
 * Code that verifies a request in a receiver, with only the language's standard library. It checks the id,
 * the timestamp and the body.
 */
export function snippetOf(name: SnippetName): string {
  return TEXTS[name];
}

const TEXTS: Readonly<Record<SnippetName, string>> = {
  node: `import { createHmac, timingSafeEqual } from 'node:crypto';

// body: the bytes as they came, before anything parses them
export function isOurs(secret, headers, body) {
  const age = Date.now() / 1000 - Number(headers['webhook-timestamp']);
  if (!(Math.abs(age) < 300)) return false;
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const head = \`\${headers['webhook-id']}.\${headers['webhook-timestamp']}.\`;
  const expected = createHmac('sha256', key).update(head).update(body).digest();
  return headers['webhook-signature'].split(' ').some((one) => {
    const given = Buffer.from(one.replace(/^v1,/, ''), 'base64');
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
}
`,
  python: `import base64, hashlib, hmac, time

# body: the bytes as they came, before anything parses them
def is_ours(secret, headers, body):
    if abs(time.time() - int(headers["webhook-timestamp"])) > 300:
        return False
    key = base64.b64decode(secret.removeprefix("whsec_"))
    head = f'{headers["webhook-id"]}.{headers["webhook-timestamp"]}.'.encode()
    expected = base64.b64encode(hmac.new(key, head + body, hashlib.sha256).digest()).decode()
    given = headers["webhook-signature"].split()
    return any(hmac.compare_digest(one, "v1," + expected) for one in given)
`,
  php: `<?php
// $body: file_get_contents('php://input'), before anything parses it
function is_ours(string $secret, array $headers, string $body): bool {
    if (abs(time() - (int) $headers['webhook-timestamp']) > 300) {
        return false;
    }
    $key = base64_decode(preg_replace('/^whsec_/', '', $secret));
    $signed = $headers['webhook-id'] . '.' . $headers['webhook-timestamp'] . '.' . $body;
    $expected = 'v1,' . base64_encode(hash_hmac('sha256', $signed, $key, true));
    foreach (explode(' ', $headers['webhook-signature']) as $given) {
        if (hash_equals($expected, $given)) {
            return true;
        }
    }
    return false;
}
`,
  go: `package receiver

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// IsOurs takes the bytes of the body as they came, before anything parses them.
func IsOurs(secret string, header http.Header, body []byte) bool {
	sent, err := strconv.ParseInt(header.Get("webhook-timestamp"), 10, 64)
	if err != nil || math.Abs(float64(time.Now().Unix()-sent)) > 300 {
		return false
	}
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil {
		return false
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(header.Get("webhook-id") + "." + header.Get("webhook-timestamp") + "."))
	mac.Write(body)
	expected := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	for _, given := range strings.Fields(header.Get("webhook-signature")) {
		if hmac.Equal([]byte(given), []byte(expected)) {
			return true
		}
	}
	return false
}
`,
};
