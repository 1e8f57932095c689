"""
Sends what frappeclient (github.com/frappe/frappe-client, frappeclient/frappeclient.py at 88ed95c) and the client inside
Frappe (frappe/frappe, frappe/frappeclient.py at 02803fa) send, through the same library, requests; and reads replies as
they do: `exc` is an error, else `message`, else `data`. Then what py-frappe-client (github.com/zerodha/py-frappe-client,
frappe_client/frappe_client.py at 0960ac9) sends: kept sessions that are opened again after a 403, and slashes at the end.

    python3 frappeclient.py URL KEY SECRET USER PASSWORD [imported]

With "imported", the site is the one of test/frappe/support, brought from a backup. Prints one line for each check that holds; ends with 1 at the first that does not.
"""

import base64
import json
import sys
from urllib.parse import quote

import requests

URL, KEY, SECRET, USER, PASSWORD, *SITE = sys.argv[1:]


class Refused(Exception):
    pass


def read(response):
    body = response.json()
    if body and body.get("exc"):
        raise Refused(body["exc"])
    return body.get("message", body.get("data"))


def check(what, holds):
    if not holds:
        print("FAILED", what)
        sys.exit(1)
    print("ok", what)


def by_key():
    session = requests.Session()
    token = base64.b64encode(f"{KEY}:{SECRET}".encode()).decode()
    session.headers.update({"Authorization": f"Basic {token}"})
    return session


def post(session, cmd, **params):
    return read(session.post(URL, data={"cmd": cmd, **params}))


def get(session, cmd, **params):
    return read(session.get(URL, params={"cmd": cmd, **params}))


def insert(session, doc):
    return read(session.post(f"{URL}/api/resource/{quote(doc['doctype'])}", data={"data": json.dumps(doc)}))


def get_doc(session, doctype, name, **params):
    return read(session.get(f"{URL}/api/resource/{doctype}/{name}", params=params))


def get_list(session, doctype, fields='"*"', **params):
    return read(session.get(f"{URL}/api/resource/{doctype}", params={"fields": fields, **params}))


def update(session, doc):
    path = f"{quote(doc['doctype'])}/{quote(doc['name'])}"
    return read(session.put(f"{URL}/api/resource/{path}", data={"data": json.dumps(doc)}))


def login():
    session = requests.Session()
    body = {"cmd": "login", "usr": USER, "pwd": PASSWORD}
    reply = session.post(URL, data=body, headers={"Accept": "application/json"})
    check("login at the root", reply.json().get("message") == "Logged In" and "sid" in session.cookies)
    made = insert(session, {"doctype": "Ticket", "subject": "By cookie"})
    check("insert by cookie, without a CSRF token", made["owner"] == USER)
    session.get(URL, params={"cmd": "logout"})
    who = session.get(f"{URL}/api/method/frappe.auth.get_logged_user/")
    check("logout ends the session", who.status_code in (401, 403))
    wrong = requests.post(URL, data={**body, "pwd": "wrong"})
    check("a wrong password", wrong.status_code == 401 and wrong.json().get("message") != "Logged In")
    # The client inside Frappe: parameters in the query of a POST that says it is a form.
    headers = {"Accept": "application/json", "content-type": "application/x-www-form-urlencoded"}
    site = requests.session()
    reply = site.post(URL, params=body, headers=headers)
    check("login in the query", reply.status_code == 200 and reply.json()["message"] == "Logged In")


def documents():
    session = by_key()
    name = "Größe & Söhne, 50% of/all"
    made = insert(session, {"doctype": "Customer", "customer_name": name, "territory": "North"})
    check("insert", made["name"] == name and made["territory"] == "North")
    check("get_doc", get_doc(session, "Customer", quote(name))["customer_name"] == name)
    saved = update(session, {**made, "territory": "South"})
    check("update with the whole document", saved["territory"] == "South")
    try:
        update(session, {**made, "modified": "2001-01-01 00:00:00", "territory": "East"})
        check("a stale update", False)
    except Refused as refused:
        check("a stale update", "TimestampMismatchError" in str(refused))
    rows = get_list(session, "Customer", filters=json.dumps({"territory": "South"}), limit_start=0, limit_page_length=5)
    check('get_list, all fields as "*"', [row["name"] for row in rows] == [name] and "email_id" in rows[0])
    docs = [{"doctype": "Ticket", "subject": f"Many {at}"} for at in range(25)]
    names = post(session, "frappe.client.insert_many", docs=json.dumps(docs))
    check("insert_many", len(names) == 25)
    check("get_list without a limit", len(get_list(session, "Ticket", '["name"]')) == 20)
    page = get_list(session, "Ticket", '["subject"]', limit_start=20, limit_page_length=10, order_by="name asc",
                    filters=json.dumps([["subject", "like", "Many%"]]))
    check("get_list by pages", len(page) == 5)
    changed = [{"doctype": "Ticket", "docname": name, "priority": "Low"} for name in names[:3]]
    check("bulk_update", post(session, "frappe.client.bulk_update", docs=json.dumps(changed)) == {"failed_docs": []})
    value = get(session, "frappe.client.get_value", doctype="Ticket", fieldname="priority",
                filters=json.dumps({"name": names[0]}))
    check("get_value", value == {"priority": "Low"})
    value = get(session, "frappe.client.get_value", doctype="Ticket", fieldname="name", filters=json.dumps(names[1]))
    check("get_value by name", value == {"name": names[1]})
    value = get(session, "frappe.client.get_value", doctype="Ticket", fieldname="name", filters='{"subject": "no"}')
    check("get_value of nothing", value == {})
    doc = post(session, "frappe.client.set_value", doctype="Ticket", name=names[0], fieldname="status", value="Closed")
    check("set_value", doc["status"] == "Closed")
    renamed = post(session, "frappe.client.rename_doc", doctype="Customer", old_name=name, new_name="Short")
    check("rename_doc", renamed == "Short" and get_doc(session, "Customer", "Short")["name"] == "Short")
    check("delete", post(session, "frappe.client.delete", doctype="Ticket", name=names[2]) is None)
    try:
        get_doc(session, "Ticket", names[2])
        check("an error raises", False)
    except Refused as refused:
        check("an error raises", json.loads(str(refused))[0].startswith("frappe.exceptions.DoesNotExistError"))


def invoices():
    session = by_key()
    items = [{"item_code": "A", "qty": 2, "rate": 3}, {"item_code": "B", "qty": 1, "rate": 1}]
    doc = insert(session, {"doctype": "Sales Invoice", "customer": "Short", "items": items})
    rows = [row["name"] for row in doc["items"]]
    doc["items"][0]["qty"] = 5
    doc = update(session, doc)
    check("rows keep their names", [row["name"] for row in doc["items"]] == rows and doc["grand_total"] == 16)
    submitted = post(session, "frappe.client.submit", doclist=json.dumps(doc))
    check("submit, as doclist", submitted["docstatus"] == 1)
    cancelled = post(session, "frappe.client.cancel", doctype="Sales Invoice", name=doc["name"])
    check("cancel", cancelled["docstatus"] == 2)
    other = insert(session, {"doctype": "Sales Invoice", "customer": "Short", "items": items})
    check("submit, as doc", post(session, "frappe.client.submit", doc=json.dumps(other))["docstatus"] == 1)


def methods():
    session = by_key()
    count = {"doctype": "Sales Invoice", "filters": json.dumps({"customer": "Short"})}
    check("get_api", read(session.get(f"{URL}/api/method/frappe.client.get_count/", params=count)) == 2)
    # Its arguments go into the query of a POST without a body.
    check("post_api", read(session.post(f"{URL}/api/method/frappe.client.get_count/", params=count)) == 2)
    ticket = get_list(session, "Ticket", '["name"]', limit_page_length=1)[0]["name"]
    raised = read(session.post(f"{URL}/api/method/crm.escalate", params={"ticket": ticket}))
    check("post_api of an app", raised["name"] == ticket)
    attached = post(session, "frappe.client.attach_file", filename="a.txt", filedata=base64.b64encode(b"bytes"),
                    decode_base64=1, doctype="Ticket", docname=ticket, is_private=1)
    check("attach_file", attached["attached_to_name"] == ticket)
    sent = session.get(URL + attached["file_url"])
    check("the attached bytes", sent.content == b"bytes")
    files = {"file": ("größe.txt", b"more", "text/plain")}
    form = {"doctype": "Ticket", "docname": ticket, "is_private": 1}
    uploaded = read(session.post(f"{URL}/api/method/upload_file", files=files, data=form))
    check("upload_file", uploaded["file_name"] == "größe.txt" and uploaded["is_private"] == 1)
    printed = session.get(f"{URL}/api/method/frappe.templates.pages.print.download_pdf", params={"doctype": "Ticket"})
    check("printing is refused clearly", printed.status_code == 404 and printed.json()["exc"])


def kept_sessions():
    body = {"cmd": "login", "usr": USER, "pwd": PASSWORD}
    kept = requests.post(URL, data=body).cookies.get_dict()
    session = requests.Session()
    session.cookies = requests.utils.cookiejar_from_dict(kept)
    path = f"{URL}/api/method/frappe.auth.get_logged_user/"
    check("a kept session", session.get(path).json() == {"message": USER})
    params = {"fields": json.dumps(["name"]), "limit_page_length": "5", "limit_start": "100000"}
    past = session.get(f"{URL}/api/resource/Ticket/", params=params)
    check("a page past the end", past.status_code == 200 and past.json() == {"data": []})
    session = requests.Session()
    session.post(URL, data=body)
    other = requests.Session()
    other.cookies = requests.utils.cookiejar_from_dict(session.cookies.get_dict())
    other.get(URL, params={"cmd": "logout"})
    for ended in (session.get(path), session.get(f"{URL}/api/resource/Ticket/"), session.post(path, data={"a": "b"})):
        check("an ended session is 403, by which it is opened again", ended.status_code == 403)
    again = session.post(URL, data=body)
    check("opened again with the old cookie", again.status_code == 200)
    check("the new session", session.get(path).json() == {"message": USER})


def imported():
    site = requests.Session()
    reply = site.post(URL, data={"cmd": "login", "usr": USER, "pwd": PASSWORD}, headers={"Accept": "application/json"})
    check("login with the old password", reply.json().get("message") == "Logged In")
    check("get_doc by cookie", get_doc(site, "Customer", "CUST-00001")["loyalty"] == "Gold")
    session = by_key()
    check("the old key", get(session, "frappe.auth.get_logged_user") == USER)
    rows = get_list(session, "Sales Invoice", '["name", "customer"]', filters=json.dumps({"docstatus": 1}))
    check("get_list", rows == [{"name": "SINV-00007", "customer": "CUST-00001"}])
    doc = get_doc(session, "Sales Invoice", "SINV-00007")
    check("get_doc with rows", [row["name"] for row in doc["items"]] == ["row1", "row2"])
    made = insert(session, {"doctype": "Bottle Label", "name": "Blue", "title": "New", "customer": "CUST-00001"})
    check("insert", made["name"] == "Blue" and made["owner"] == USER)
    check("the bytes of a private file", session.get(URL + "/private/files/red.png").content == b"hello world")
    check("no bytes for others", requests.get(URL + "/private/files/red.png").status_code == 403)


if SITE == ["imported"]:
    imported()
else:
    login()
    documents()
    invoices()
    methods()
    kept_sessions()
