import { ServiceError } from '../kernel/errors.ts';
import { LIMITS } from '../kernel/limits.ts';

/** Shorter passwords are easy to guess. */
export const PASSWORD_LEAST = 10;

/** A shorter part of an address does not identify its owner. */
const TELLING = 4;

/**
 * Refuses a password that is easy to guess: a short one, a common one, or one that contains a name of its
 * user.
 * @param names the user's address and username
 * @throws ServiceError ValidationError
 */
export function checkNewPassword(password: string, names: readonly unknown[]): void {
  if (password.length < PASSWORD_LEAST) {
    throw refused(`The password must have at least ${PASSWORD_LEAST} characters`);
  }
  if (password.length > LIMITS.passwordLength) {
    throw refused(`The password exceeds ${LIMITS.passwordLength} characters`);
  }
  const plain = plainForm(password);
  for (const name of names) {
    const own = typeof name === 'string' ? plainForm(name.split('@', 1)[0] ?? '') : '';
    if (own.length >= TELLING && plain.includes(own)) {
      throw refused("The password must not contain the user's name or email address");
    }
  }
  if (isCommon(plain)) throw refused('The password is too common');
}

function refused(message: string): ServiceError {
  return new ServiceError('ValidationError', message);
}

function plainForm(text: string): string {
  return text.normalize('NFKC').toLowerCase();
}

/** True for a common word with only digits and signs around it, and for runs and repetitions. */
function isCommon(plain: string): boolean {
  if (new Set(plain).size < TELLING) return true;
  if (RUNS.some((run) => run.includes(plain) || isRepeated(plain, run))) return true;
  const word = unleet(plain.replace(/[^\p{L}]+$/u, '')).replace(/[^\p{L}]/gu, '');
  return COMMON.has(plain.replace(/[^\p{L}]/gu, '')) || COMMON.has(word) || isTwice(plain);
}

// Lists of common passwords include `p@ssw0rd`, too.
function unleet(plain: string): string {
  return plain.replace(/[013457@$]/g, (sign) => LEET[sign] ?? sign);
}

const LEET: Readonly<Record<string, string>> = {
  '0': 'o',
  '1': 'i',
  '3': 'e',
  '4': 'a',
  '5': 's',
  '7': 't',
  '@': 'a',
  $: 's',
};

/** `abcdeabcde`, or the same part three times. */
function isTwice(plain: string): boolean {
  return /^(.{1,5})\1+$/u.test(plain);
}

// `qwerty123456`: the beginning of a keyboard row, then digits.
function isRepeated(plain: string, run: string): boolean {
  const letters = plain.replace(/\d+$/, '');
  return letters.length >= TELLING && letters !== plain && run.startsWith(letters);
}

/** Keyboard rows and alphabets, forwards and backwards, doubled to match runs that wrap around. */
const RUNS: readonly string[] = [
  '12345678901234567890',
  '01234567890123456789',
  'abcdefghijklmnopqrstuvwxyz',
  'qwertyuiopasdfghjklzxcvbnm',
  'qwertzuiopasdfghjklyxcvbnm',
  'azertyuiopqsdfghjklmwxcvbn',
  'asdfghjkl',
  '1qaz2wsx3edc4rfv5tgb6yhn',
  'q1w2e3r4t5y6u7i8o9p0',
].flatMap((run) => [run, [...run].reverse().join('')]);

/** Common passwords without their digits and signs. */
const COMMON: ReadonlySet<string> = new Set(
  `password passwort passwords motdepasse contrasena contraseña parola senha wachtwoord haslo lozinka passw passwd
  admin administrator administrador adminadmin root rootroot toor user guest default changeme changeit changethis letmein
  letmeinnow welcome willkommen bienvenue bienvenido welcometo iloveyou iloveu ichliebedich jetaime teamo sunshine princess
  football baseball basketball soccer hockey monkey dragon master superman batman spiderman starwars pokemon trustno
  trustnoone shadow michael jennifer jordan charlie jessica ashley daniel andrew joshua thomas robert matthew nicole
  hunter ranger buster tigger cookie chocolate banana cheese pepper ginger summer winter spring autumn sommer winterwinter
  freedom whatever computer internet samsung google facebook linkedin microsoft windows apple iphone android secret topsecret
  secretsecret private access accessdenied login loginlogin system server database test testtest testing tester demo demodemo
  example sample company companyname business office manager support service temporary temp temptemp newpassword oldpassword
  mypassword thepassword yourpassword passwordpassword passpass passpasspass pass qwerty qwertyqwerty qwertyui qwertyuiop azerty
  azertyuiop asdf asdfasdf asdfgh asdfghjkl zxcvbn zxcvbnm abc abcabc abcd abcdef january february march april june july august
  september october november december monday tuesday wednesday thursday friday saturday sunday chancery frappe erpnext
  corvette mustang ferrari porsche mercedes harley liverpool arsenal chelsea barcelona realmadrid juventus yankees lakers
  killer fuckyou fuckoff asshole bitch pussy biteme lovely loveme forever angel angels babygirl mother father family
  hello hellohello helloworld goodbye nothing something unknown please correcthorsebatterystaple`.split(
    /\s+/,
  ),
);
