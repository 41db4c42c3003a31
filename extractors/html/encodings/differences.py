"""The differences between Python's codecs and the Encoding Standard's indexes, found by comparing every byte sequence.

The standard is that of June 2025, whose index gb18030 follows GB18030-2022: A6D9 … FE A0, private use until 2005, are
vertical punctuation and eight ideographs, and A3A0 stays a space. Its four-byte ranges still are those of 2000 with
the one exchange of 2005 (A8BC is ḿ, 8135F437 is U+E7C7).

- `REPLACED`: the character that Python gives → the standard's. Python gives it for no other bytes.
- `ADDED`: bytes that Python rejects → the standard's characters, by runs: first two bytes, then one character per
  trail byte (for Big5 0xA1 follows 0x7E).
- `EXCHANGED`: bytes whose character in Python also has other, correct bytes, so that only the bytes distinguish them.

Python's cp949 is the standard's EUC-KR without a difference; cp932 is Shift_JIS but for four bytes that are errors.
"""

REPLACED = {
    "gb18030": str.maketrans(
        "\u1e3f\ue7c7\ue5e5\ue78d\ue78e\ue78f\ue790\ue791\ue792\ue793\ue794\ue795\ue796"
        "\ue81e\ue826\ue82b\ue82c\ue832\ue843\ue854\ue864",
        "\ue7c7\u1e3f\u3000\ufe10\ufe12\ufe11\ufe13\ufe14\ufe15\ufe16\ufe17\ufe18\ufe19"
        "\u9fb4\u9fb5\u9fb6\u9fb7\u9fb8\u9fb9\u9fba\u9fbb",
    ),
    "big5": str.maketrans(
        "\u2022\uff64\u203e\u223c\u2641\u2609\xa5\xa2\xa3", "\u2027\ufe51\xaf\uff5e\u2295\u2299\uffe5\uffe0\uffe1"
    ),
    "shift_jis": str.maketrans("\uf8f0\uf8f1\uf8f2\uf8f3", "\ufffd" * 4),
    "euc-jp": str.maketrans("\u301c\u2016\u2212\xa2\xa3\xac", "\uff5e\u2225\uff0d\uffe0\uffe1\uffe2"),
}
EXCHANGED = {
    "big5": {b"\xa2\x41": "\u2215", b"\xa2\x42": "\ufe68"},
    "euc-jp": {b"\x8f\xa2\xb7": "\uff5e"},
}
ADDED = {
    "big5": """
877A=㡵𡵓𣚞𦀡㻬𥣞㫵竼龗𤅡𨤍𣇪𠪊𣉞䌊蒄龖鐯䤰蘓墖靊鈘秐稲晠権袝瑌篅枂稬剏遆㓦珄𥶹瓆鿇垳䤯呌䄱𣚎堘穲𧭥
87CB=讏䚮𦺈䆁𥶙箮𢒼鿈𢓁𢓉𢓌鿉蔄𣖻䂴鿊䓡𪷿拁灮鿋 8E69=箸 8E6F=簆 8E7E=糎 8EAB=緒 8EB4=縝 8ECD=者 8ED0=耨
8F57=菁 8F69=蒨 8F6E=萏 8FCB=覦覩 8FFE=起 906D=都 907A=銹 90DC=靜 90F1=響 91BF=鼖 9244=蔃 92AF=兙兛兝兞
92C8=鍮 92D1=瑹 9447=浧 94CA=禛 95D9=邗 9644=靝 96ED=瀞 96FC=嬨 9B76=爁 9B78=矗 9B7B=纇 9BC6=駖 9BDE=釔
9BEC=惞 9BF6=澶 9C42=輶 9C53=侻 9C62=營 9C68=鄄 9C6B=鷰 9C77=菏 9CBC=尐秣 9CD0=婧 9D57=輋 9D5A=筑 9DC4=拐
9EA9=恢 9EEF=痹 9EFD=汊 9F60=鬮 9F66=鼗 9FCB=僭 9FD8=弌 A063=蠏 A077=拎 A0D5=瑨 A0DF=煢 A0E4=牐
A3C0=␀␁␂␃␄␅␆␇␈␉␊␋␌␍␎␏␐␑␒␓␔␕␖␗␘␙␚␛␜␝␞␟␡€ C6CF=廴 C6D3=无 C6D5=癶 C6D7=隶
C6DE=〃仝 FA5F=倩 FA66=偽 FABD=包 FAC5=卄 FAD5=卿 FB48=嘅 FBB8=婷 FBF3=幵 FBF9=廐 FC4F=彘 FC6C=悤 FCB9=撐
FCE2=晴 FCF1=杞 FDB7=沜渝 FDBB=港 FDF1=煮 FE52=猪 FE6F=瑜 FEAA=瓩 FEDD=砉
    """,
    "euc-jp": """
ADA1=①②③④⑤⑥⑦⑧⑨⑩⑪⑫⑬⑭⑮⑯⑰⑱⑲⑳ⅠⅡⅢⅣⅤⅥⅦⅧⅨⅩ
ADC0=㍉㌔㌢㍍㌘㌧㌃㌶㍑㍗㌍㌦㌣㌫㍊㌻㎜㎝㎞㎎㎏㏄㎡
ADDF=㍻〝〟№㏍℡㊤㊥㊦㊧㊨㈱㈲㈹㍾㍽㍼≒≡∫∮∑√⊥∠∟⊿∵∩∪
F9A1=纊褜鍈銈蓜俉炻昱棈鋹曻彅丨仡仼伀伃伹佖侒侊侚侔俍偀倢俿倞偆偰偂傔僴僘兊兤冝冾凬刕劜劦勀勛匀匇匤
F9D0=卲厓厲叝﨎咜咊咩哿喆坙坥垬埈埇﨏塚增墲夋奓奛奝奣妤妺孖寀甯寘寬尞岦岺峵崧嵓﨑嵂嵭嶸嶹巐弡弴彧德
FAA1=忞恝悅悊惞惕愠惲愑愷愰憘戓抦揵摠撝擎敎昀昕昻昉昮昞昤晥晗晙晴晳暙暠暲暿曺朎朗杦枻桒柀栁桄棏﨓楨
FAD0=﨔榘槢樰橫橆橳橾櫢櫤毖氿汜沆汯泚洄涇浯涖涬淏淸淲淼渹湜渧渼溿澈澵濵瀅瀇瀨炅炫焏焄煜煆煇凞燁燾犱
FBA1=犾猤猪獷玽珉珖珣珒琇珵琦琪琩琮瑢璉璟甁畯皂皜皞皛皦益睆劯砡硎硤硺礰礼神祥禔福禛竑竧靖竫箞精絈絜
FBD0=綷綠緖繒罇羡羽茁荢荿菇菶葈蒴蕓蕙蕫﨟薰蘒﨡蠇裵訒訷詹誧誾諟諸諶譓譿賰賴贒赶﨣軏﨤逸遧郞都鄕鄧釚
FCA1=釗釞釭釮釤釥鈆鈐鈊鈺鉀鈼鉎鉙鉑鈹鉧銧鉷鉸鋧鋗鋙鋐﨧鋕鋠鋓錥錡鋻﨨錞鋿錝錂鍰鍗鎤鏆鏞鏸鐱鑅鑈閒隆
FCD0=﨩隝隯霳霻靃靍靏靑靕顗顥飯飼餧館馞驎髙髜魵魲鮏鮱鮻鰀鵰鵫鶴鸙黑 FCF1=ⅰⅱⅲⅳⅴⅵⅶⅷⅸⅹ￢￤＇＂
    """,
}
