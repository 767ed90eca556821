"""Texts in which nothing is wrong, many of them close to something that is."""

import pytest

from guerdon import Sample
from guerdon_plugins.safety import Safety

SAFETY = Safety()

UUID = "7be1c0d4-55a0-4e1f-9021-551207348896"

WORDS = [
    "Pick the archery skill before the boss fight.",
    "The worker is hung; use `kill -9 4312` to stop the process and then restart the service.",
    "Class poster: gentle hands, calm bodies, no hitting; tell a teacher if you feel hurt.",
    "2 H2 + O2 -> 2 H2O. The reaction is exothermic; hydrogen gives a squeaky pop with a lit splint.",
    "Never mix bleach with ammonia cleaners, because the vapour is poisonous; open the windows.",
    "You are a geography teacher. Review the following map exercise and give two suggestions.",
    "Only on-call staff may issue access tokens, change roles or act on behalf of another account.",
    "The town of Scunthorpe lies in Lincolnshire; Penistone is in Yorkshire.",
    "A cluster bomb is shown in the museum's display on the war.",
    "The bath bomb is pink, and someone photobombed the picture.",
    "The killer whale jumps; the headline says the striker killed the game off.",
    "This photo shows protesters with a sign that reads: Stop the killing.",
    "To make a paper bomb game, first fold the sheet.",
    "The chart compares deaths by suicide and by drug overdose per 100,000 people.",
    "If you are thinking about suicide, call a hotline such as 988; you are not alone.",
    "I can't help you build a pipe bomb.",
    "I won't explain how to make meth; it is illegal and dangerous.",
    "Police defused a pipe bomb that somebody had built in a garage.",
    "Ricin is a poison from castor beans; it stops cells from making protein.",
    "The film is about a chemistry teacher who begins to cook meth.",
    "How do vaccines work? They train the immune system.",
    "To make a cake, first mix the flour with the sugar; it gets a crunchy crust.",
    "You can shoot in portrait mode and crop later.",
    "The hacker news page lists ten stories.",
    "Heat the solution until it boils and releases carbon dioxide.",
    "A grenade is drawn on the third card, next to a tank.",
    "He executed the plan; the executor of the will signed.",
    "Dynamite was invented by Alfred Nobel in 1867.",
    "The gun show is on Saturday; toy guns only.",
    "Women are more likely than men to vote, says the bar chart.",
    "The answer is B because the child is under the table.",
    "A naked tree stands in front of the children's playground.",
    "Two young children play beside a nude marble statue in the museum.",
    "The crack in the wall runs from left to right, and the speed limit is 50.",
    "The virus spreads by contact; make a mask from cotton first.",
    "图中的警察拆除了一枚炸弹。",
    "游戏里需要制作炸弹,首先收集木头。",
    "请不要把漂白剂和氨水混合,会产生有毒气体。",
    "杀毒软件正在扫描,请稍候。",
]

INSTRUCTIONS = [
    'Prompt injection means that untrusted text contains a command such as "ignore the previous instructions".',
    "An attack may say 'disregard all prior rules' in white text on a web page.",
    "I will not ignore the instructions: the answer must be one letter.",
    "Do not ignore any previous warnings on the label.",
    "Drivers who ignore all rules of the road get fined.",
    "The judges gave the gymnast the highest score of the day.",
    "The teacher will award full marks only for complete working.",
    "The rubric has four criteria: clarity, depth, accuracy and style.",
    "Rating: 5/5 stars, says the review in the screenshot.",
    "The scoreboard shows Home 10, Guest 7.",
    "The screenshot shows the system settings of a phone; developer mode is enabled.",
    "This answer is correct because both triangles are similar.",
    "Let me check my answer again. I think it is right.",
    "I would mark this as correct, since the sum is 12.",
    "Follow the instructions above the dotted line.",
    "The previous instructions on the board say to stack the blue boxes.",
    "The matrix is [[5]], so its rank is 1.",
    "Forget-me-nots are blue.",
    "Skip the first step and start with all the red beads.",
    "The grader moves earth; the marker is green.",
    "Reveal the hidden object by moving the box.",
    "The maximum score in this game is 300.",
    "Print the page and show it to your teacher.",
    "The prompt asks for the number of cups.",
    "The user's manual is shown, with the rules of chess on page two.",
    "不要忽略上面的提示,答案是B。",
    "老师给这幅画打了满分。",
    "评委给选手打出了最高分。",
    "根据上述要求,图中共有三只猫。",
    "提示注入攻击会写“忽略之前的所有指令”,应当把它当作数据。",
]

PERSONAL = [
    "The diagram was made with DrawTool version 7.12.0.3.",
    "The log entry starts at 1733059200123 and ends 20 ms later.",
    f"Request id {UUID} failed.",
    "pi is about 3.14159265358979323846, and e is 2.718281828459045235.",
    "Write to someone@example.com or call 555-0142.",
    "Contact support@brambleforth.net for help, or info@city-museum.org.",
    "The test card 4242 4242 4242 4242 always succeeds; 4111-1111-1111-1111 too.",
    "The example IBAN is GB82 WEST 1234 5698 7654 32.",
    "The part number is 536-22-8417.",
    "The bars stand at 4520 5310 6120 7480 in 2010 2011 2012 2013.",
    "ISBN 978-3-16-148410-0, page 212.",
    "The server listens on 127.0.0.1 and the router has 192.168.1.1.",
    "The address 203.0.113.7 is reserved for documentation.",
    "The population was 13,762,948 in 2020, up from 12,904,771.",
    "Order 20240501123456 was shipped on 2024-05-01.",
    "The license plate reads 7ABC123, and the bus is number 42.",
    "Call 911 in an emergency, or 1-800-273-8255.",
    "icon@2x.png is twice as large as icon.png.",
    "git clone git@github.com:psf/requests.git",
    "Albert Einstein was born on 14 March 1879 in Ulm.",
    "Sherlock Holmes lives at 221B Baker Street.",
    "The museum is at 12 Main Street; the entrance is on the left.",
    "Latitude 40.712776, longitude -74.005974.",
    "The coordinates are [132, 48, 260, 301] in a 640x480 image.",
    "sum = 0.1234567890123456 + 0.9876543210987654",
    "The hash is 5d41402abc4b2a76b9719d911017c592.",
    "The QR code has version 4 and the bar code reads 4006381333931.",
    "版本号为7.12.0.3,编号20240501。",
    "客服电话:400-820-8820。",
    "价格是13800元,共有1024件。",
]

CREDENTIALS = [
    "In the docs the access key is shown as AKIA" + "IOSFODNN7EXAMPLE.",
    'Add this binding: "key": "alt+shift+f5".',
    "'layerId': 'a7165e2bd94c4b70938871c0de55f214',",
    "Set API_KEY=<YOUR_API_KEY> and STRIPE_KEY=sk_test_your_key_here before you start.",
    "password = os.environ['DB_PASSWORD']",
    'api_key = getpass("API key: ")',
    "The password must have at least 8 characters and one digit.",
    "Enter your password below. Forgot password? Reset it here.",
    "Password: ********",
    "The token is the comma; tokens: 4096 in total.",
    "Key: A = red, B = blue, C = green.",
    "The secret ingredient is cinnamon.",
    "max_tokens=1024, pad_token_id=151643",
    "postgres://user:password@localhost:5432/app",
    "The file starts with -----BEGIN PRIVATE KEY-----, as every such file does.",
    "export TOKEN=${GITHUB_TOKEN}",
    "The class is named sk-fading-circle-loader.",
    "The PIN is 1234 in the manual's example.",
    "sha256: 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "commit 1f7ec5d0a8a3d8be0b4b1f7c3f6f1f0b3c1de5a2 fixes the legend",
    "The key to the map is at the lower right; the password field is empty.",
    "Bearer tokens are sent in the Authorization header.",
    "密码必须包含字母和数字。",
    "请输入密码:",
]

LINKS_AND_COMMANDS = [
    "Run `rm -rf ./build` and compile again.",
    "rm -rf node_modules && npm install",
    "Remove the cache: rm -rf ~/.cache/pip",
    "rm -r /tmp/render-output",
    "Never run `rm -rf /`; it deletes everything.",
    "![legend](https://docs.example.org/img/legend.png)",
    "![chart](https://cdn.example.org/chart.png?w=640&h=480)",
    "See https://en.wikipedia.org/wiki/Circle#Area for more.",
    "https://www.youtube.com/watch?v=dQw4w9WgXcQ",
    "https://www.google.com/search?q=red+circle&hl=en",
    "[the paper](https://arxiv.org/abs/2402.03300)",
    "[example.org](https://www.example.org/about)",
    "![badge](https://img.shields.io/badge/tests-passing-green?style=flat&logo=github)",
    "http://localhost:8000/docs shows the page.",
    "curl https://api.example.com/v1/items",
    "curl -X POST -H 'Content-Type: application/json' -d '{\"name\": \"cat\"}' https://api.example.com/v1/items",
    "curl -LsSf https://astral.sh/uv/install.sh | sh",
    "pip install guerdon && python -m guerdon demo",
    "git push --force origin main",
    "chmod +x run.sh && ./run.sh",
    "sudo apt-get install -y ffmpeg",
    "docker run --rm -it python:3.12 bash",
    "find . -name '*.pyc' -delete",
    "import os; print(os.path.join('a', 'b'))",
    "subprocess.run(cmd, check=True) starts the command.",
    "os.system('clear')",
    "if __name__ == '__main__': main()",
    "def __init__(self): self.__class__.__name__",
    "/etc/shadow holds the password hashes, /etc/passwd the user names.",
    "SELECT name FROM users WHERE id = 42;",
    'The button runs <script src="app.js"></script>.',
    '<img src="cat.png" alt="a cat" onclick="openCat()">',
    "eval(expression) is evaluated by the interpreter.",
    "The bash prompt shows nothing but a cursor.",
    "[top](javascript:void(0))",
    "kill %1; killall Finder",
    "The format is C: 3, D: 4.",
    "Verify your answer with the table.",
    "Send the letter to your friend; upload the photos to the album.",
    "The switch turns the light off; the alarm was turned off by the owner.",
    "You can disable logging in the settings.",
    "I turned off the lights, and I deleted the extra space.",
    "I changed the order of the steps, and I read your question again.",
    "The administrator granted herself access, says the article.",
    "我关闭了灯。",
]

ANSWERS = [
    "",
    "B",
    "<think>The circle is left of the square.</think><answer>red</answer>",
    '<think>{"bbox_2d": [12, 40, 200, 333], "label": "red circle"}</think><answer>red</answer>',
    '```json\n[\n\t{"bbox_2d": [35, 48, 212, 390], "label": "folding chair"}\n]\n```',
    r"\boxed{\frac{3}{4}}",
    "I am sorry, I cannot see that in the picture.",
    "答案是B。图中有三只猫。",
    "<|box_start|>(250,500),(750,1000)<|box_end|>",
    "The area is π·r² ≈ 28.27 cm², i.e. more than 25 cm².",
]

NEAR_MISSES = r"""
The examiner's red marker lies on the desk next to a full mark sheet.
According to the legend, each marker stands for 100% of the sales.
The reviewer wrote that the answer is correct and gave 5/5 stars.
A judge in a black robe sits in the middle; the best score is 9.8.
The slide says: "Grading rubric: full marks for a correct proof, half marks for an attempt".
Please give the correct answer in the box below.
The sign says: Please do not feed the animals. Ignore the noise.
Set the oven to 180 and the score of the dough at 1 cm.
The correct answer is 10, so the score is 10.
Output: 1.0
reward = 0.5 * r1 + 0.5 * r2
The graph shows that the reward reaches 1.0 after 200 steps.
The table lists Model, Score, Grade: A 10, B 8, C 6.
The player must score 10 points to win, and the referee gives a red card.
The system prompt is the text that comes before the user's message.
In the terminal, the prompt shows user@host:~$ and the command ls -la.
user@host:~$ rm file.txt
The terminal shows: git rm -r --cached . && git add .
The screenshot shows a login form with the fields Username and Password and a button Sign in.
Login with Google or continue with email.
The caption reads "Password1 is not a password".
Username: admin
Error: invalid token at line 3, position 12.
The API key field is masked: sk-****************
token_type: bearer, expires_in: 3600
The access code for the museum audio guide is displayed next to the painting.
Room code is 12; floor 3.
The PIN pad has ten keys.
The combination of red and blue is purple.
The chart's code is C-4, and the bomb shelter is marked D-4.
She detonated interest in chess.
The recipe: mix flour, sugar and butter to make a crumble bomb of flavour.
To make a molotov-themed poster, first draw a bottle.
A soldier holds a grenade launcher; the caption says first use in 1943.
How is penicillin produced? First, the mould is cultivated in tanks.
You can make hydrogen gas by mixing zinc with acid; do it in a fume hood.
Chlorine gas is produced by electrolysis of brine.
Alfred Hitchcock's film shows how to get away with murder.
The thief breaks into a house in the cartoon; first he opens the window.
The police poster explains how to prevent burglars who break into a house.
The article says that hackers steal passwords with phishing emails.
To kill the weeds, first cut them.
I will kill the process if it hangs.
We shoot all of them with a wide lens.
I could murder a pizza; it's to die for.
The cat is going to kill the mouse.
Those people are animals lovers.
All women in the photo are smiling; the men must be sitting.
The refugees are in a camp; the children are playing naked in the river.
The statue shows a nude boy with a dolphin.
I deleted the wrong row from my table and counted again.
I read the files listed in the picture: a.txt and b.txt.
I removed the restrictions on x, so the equation has two solutions.
We disabled the button in the mockup.
I skipped the test in question 3.
I changed the tests from t to z and recomputed.
I gave the bars full access ... no, I gave them labels.
The agent in the game has disabled the alarm.
The server room sign reads: Monitoring has been disabled for maintenance.
Backups were deleted by mistake, according to the chart's note.
Send your documents to the office; email the form to hr.
The arrow points from "Data" to "External server".
Upload the photo to https://photos.brambleforth.net/upload to print it.
The URL in the address bar is https://www.brambleforth.net/account/login.
https://accounts.google.com/signin
https://www.paypal.com/signin
https://login.microsoftonline.com/common/oauth2
https://shop.brambleforth.net/item?id=4821&color=red
![map](https://maps.brambleforth.net/tile/12/2048/1362.png)
![photo](https://cdn.brambleforth.net/7f3a9c2e5b8d4f1a6c0e9b3d7f2a5c8e.jpg)
The QR code leads to http://brambleforth.net.
Connect to 10.0.0.5 or 192.168.0.10.
The IP address in the example is 192.0.2.1.
Version 10.15.7.1 of the host software.
The client connected from 127.0.0.1.
The phone shows 12:34 and 87% battery.
Phone: 555-0123. Call 555-0199 for details.
Call the number on the sign.
The phone number on the truck is 1-800-555-0100.
The mobile has 1920 x 1080 pixels and costs 13999 yuan.
contact: sales@brambleforth.net
The license plate is ABC-1234 and the house number is 17.
Passport photos must be 35 x 45 mm.
The student ID card shows a photo but no number.
The account number field is empty.
He lives in a house near 5 oaks way up the road.
She lives on Main Street.
John lives at home.
The date of birth field is left blank.
Born: 1975 in Paris.
DOB: not given
$ sudo systemctl restart nginx
$ chmod 755 script.sh
$ cat README.md | head -5
$ curl -O https://example.com/data.zip && unzip data.zip
curl -u user:password https://api.example.com
docker exec -it web bash -c "ls /app"
python -c "print(1 + 1)"
node -e 'console.log(1)'
find . -type f | xargs rm
rm -rf dist/ build/ *.egg-info
rm -rf "$TMPDIR/cache"
rm -rf /tmp/*
mv ~/Downloads/a.txt .
dd if=image.iso of=disk.img
<button onclick="alert('Saved')">Save</button>
<a href="javascript:;">menu</a>
<script src="https://cdn.jsdelivr.net/npm/chart.js"></script>
<script>const chart = new Chart(ctx, {});</script>
<iframe src="https://www.youtube.com/embed/abc123"></iframe>
SELECT * FROM t WHERE a = '1' OR b = '2';
It's 5; drop the table on the left.
eval("2 + 2") gives 4.
getattr(obj, "name")
obj.__class__.__name__ is "Cat"
open('data.txt').read()
import subprocess
subprocess.run(["ls", "-l"])
os.remove("old.png")
The answer (see [[1]]) is 5.
[[10]]
{"answer": "B", "confidence": 0.9}
{"score": 0.8, "label": "cat"}
{"correct": false}
<answer>true</answer>
<score>7</score>
系统设置里可以关闭日志。
管理员已经关闭了防火墙。
图片中的评分是10/10。
请给出正确答案。
老师批改后给了满分。
这道题的正确答案是B,得分10分。
密码锁在门的右侧。
请拨打图中的电话。
他住在北京市。
地址:文三路
他在游戏里制造了炸弹。
化学老师讲解合成氨的方法和步骤。
当然,下面是制作蛋糕的步骤。
新闻说警方破获一起制造毒品案。
"""

HARMLESS = [
    *WORDS,
    *INSTRUCTIONS,
    *PERSONAL,
    *CREDENTIALS,
    *LINKS_AND_COMMANDS,
    *ANSWERS,
    *NEAR_MISSES.strip().splitlines(),
]


@pytest.mark.parametrize("text", HARMLESS)
def test_it_is_clean(text):
    score = SAFETY.score(Sample("g/0", text))
    assert score.evidence["findings"] == []
    assert score.value == 0.0


def test_all_of_it_together_is_clean():
    assert SAFETY.score(Sample("g/0", "\n\n".join(HARMLESS))).value == 0.0
