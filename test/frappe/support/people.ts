import { ANA, ANA_HASH, fernetToken } from './secrets.ts';
import { children, documents, type Table } from './shapes.ts';

/** Users, roles, passwords and restrictions. */
export function people(): Table[] {
  const user = { enabled: 1, user_type: 'System User' };
  return [
    documents('Role', { role_name: 'varchar(140)', desk_access: 'tinyint', disabled: 'tinyint' }, [
      { name: 'Sales Manager', role_name: 'Sales Manager', desk_access: 1 },
      { name: 'System Manager', role_name: 'System Manager', desk_access: 1 },
    ]),
    documents(
      'User',
      {
        email: 'varchar(140)',
        first_name: 'varchar(140)',
        full_name: 'varchar(140)',
        enabled: 'tinyint',
        user_type: 'varchar(140)',
        api_key: 'varchar(140)',
        bio: 'longtext',
      },
      [
        { name: 'Administrator', email: 'admin@example.com', first_name: 'Administrator', ...user },
        { name: 'Guest', email: 'guest@example.com', first_name: 'Guest', ...user },
        {
          name: ANA.user,
          email: ANA.user,
          first_name: 'Ana',
          full_name: 'Ana',
          api_key: ANA.key,
          bio: 'Sells',
          ...user,
        },
        {
          name: 'bo@example.com',
          email: 'bo@example.com',
          first_name: 'Bo',
          full_name: 'Bo',
          ...user,
          enabled: 0,
        },
      ],
    ),
    children('Has Role', { role: 'varchar(140)' }, [
      {
        name: 'hr1',
        parent: ANA.user,
        parenttype: 'User',
        parentfield: 'roles',
        role: 'Sales Manager',
        idx: 1,
      },
    ]),
    {
      name: '__Auth',
      columns: {
        doctype: 'varchar(140)',
        name: 'varchar(255)',
        fieldname: 'varchar(140)',
        password: 'longtext',
        encrypted: 'tinyint',
      },
      rows: [
        { doctype: 'User', name: ANA.user, fieldname: 'password', password: ANA_HASH, encrypted: 0 },
        {
          doctype: 'User',
          name: ANA.user,
          fieldname: 'api_secret',
          password: fernetToken(ANA.secret),
          encrypted: 1,
        },
        {
          doctype: 'Customer',
          name: 'CUST-00001',
          fieldname: 'portal_password',
          password: fernetToken('open sesame'),
          encrypted: 1,
        },
        {
          doctype: 'Selling Settings',
          name: 'Selling Settings',
          fieldname: 'api_password',
          password: fernetToken('swordfish'),
          encrypted: 1,
        },
        { doctype: 'User', name: 'bo@example.com', fieldname: 'password', password: 'no hash', encrypted: 0 },
      ],
      key: ['doctype', 'name', 'fieldname'],
    },
    documents(
      'User Permission',
      {
        user: 'varchar(140)',
        allow: 'varchar(140)',
        for_value: 'varchar(140)',
        apply_to_all_doctypes: 'tinyint',
      },
      [{ name: 'up1', user: ANA.user, allow: 'Territory', for_value: 'North', apply_to_all_doctypes: 1 }],
    ),
  ];
}
